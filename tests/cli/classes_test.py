"""precedent classes: PriorityClass manifests."""
import program


class ClassesTest(program.TestCase):
    def classes(self, text, code=0):
        result = program.run("classes", f"--policy={self.file('policy.txtpb', text)}")
        self.assertRan(result, code)
        return result

    def test_seed(self):
        result = program.run("classes", f"--policy={program.POLICIES / 'seed.txtpb'}")
        self.assertRan(result, 0)
        self.assertEqual(result.err, "")
        documents = result.out.split("---\n")
        self.assertEqual(documents[0],
                         "apiVersion: scheduling.k8s.io/v1\n"
                         "kind: PriorityClass\n"
                         "metadata:\n"
                         "  name: critical\n"
                         "value: 1200\n"
                         "preemptionPolicy: PreemptLowerPriority\n"
                         'description: "Production inference: users wait for the answer."\n')
        self.assertEqual(len(documents), 4)
        self.assertNotIn("globalDefault", result.out)
        self.assertNotIn("nonpreempting", result.out)

    def test_variants_where_a_rule_never_preempts_others(self):
        result = program.run("classes", f"--policy={program.POLICIES / 'fleet.txtpb'}")
        self.assertRan(result, 0)
        documents = result.out.split("---\n")
        self.assertEqual(len(documents), 8)
        self.assertIn("name: experimental-nonpreempting\nvalue: 1\npreemptionPolicy: Never\n", documents[5])

    def test_a_rule_that_allows_preemption_makes_no_variants(self):
        result = self.classes('stages { rules { id: "a" never_preempt_others: false } } '
                              'priority_classes { name: "c" at_least: 0 }')
        self.assertNotIn("Never", result.out)

    def test_no_classes(self):
        self.assertEqual(self.classes('name: "x"').out, "")

    def test_names_that_are_not_strings_in_yaml_are_quoted(self):
        result = self.classes('priority_classes { name: "true" at_least: 0 } '
                              'priority_classes { name: "1e3" at_least: 1 description: "a: \\"b\\"\\n#c" }')
        self.assertIn('  name: "true"\n', result.out)
        self.assertIn('  name: "1e3"\n', result.out)
        self.assertIn('description: "a: \\"b\\"\\n#c"\n', result.out)

    def test_what_kubernetes_would_refuse(self):
        for name, value, words in [("Upper", 0, "cannot be the name"), ("a b", 0, "cannot be the name"),
                                   ("a..b", 0, "cannot be the name"), ("-a", 0, "cannot be the name"),
                                   ("a-", 0, "cannot be the name"),
                                   ("system-x", 0, "keeps `system-`")]:
            result = self.classes(f'priority_classes {{ name: "{name}" at_least: {value} }}', code=2)
            self.assertEqual(result.out, "")
            self.assertIn("priority_classes[0].name", result.err)
            self.assertIn(words, result.err)
        result = self.classes('bounds { max: 2000000000 } priority_classes { name: "c" at_least: 0 } '
                              'priority_classes { name: "d" at_least: 1000000001 }', code=2)
        self.assertIn("priority_classes[1].at_least: 1000000001 is above 1000000000", result.err)

    def test_policy_errors(self):
        self.assertEqual(self.classes("stages { rules { } }", code=2).out, "")


if __name__ == "__main__":
    program.main()
