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
        self.assertEqual(len(documents), 8)
        self.assertNotIn("globalDefault", result.out)

    def test_every_class_has_a_variant_that_never_preempts(self):
        # Any object may ask for it by its preemptionPolicy, whatever the rules say.
        result = self.classes('priority_classes { name: "c" at_least: 0 } '
                              'priority_classes { name: "d" at_least: 7 }')
        documents = result.out.split("---\n")
        self.assertEqual(len(documents), 4)
        self.assertIn("name: d-nonpreempting\nvalue: 7\npreemptionPolicy: Never\n", documents[3])

    TWO = ('priority_classes { name: "c" at_least: 0 description: "low" } '
           'priority_classes { name: "d" at_least: 7 }')

    def test_global_default_only_where_asked_for(self):
        policy = self.file("policy.txtpb", self.TWO)
        result = program.run("classes", f"--policy={policy}", "--global-default=d")
        self.assertRan(result, 0)
        self.assertEqual(result.out.count("globalDefault"), 1)
        self.assertIn("name: d\nvalue: 7\npreemptionPolicy: PreemptLowerPriority\n"
                      "globalDefault: true\n", result.out)
        for flags in (["--global-default=x"], ["--global-default=d", "--target=kueue"],
                      ["--target=slurm"]):
            result = program.run("classes", f"--policy={policy}", *flags)
            self.assertRan(result, 2)
            self.assertEqual(result.out, "")
            self.assertIn(flags[0].split("=")[0], result.err)

    def test_kueue(self):
        result = program.run("classes", f"--policy={self.file('p.txtpb', self.TWO)}", "--target=kueue")
        self.assertRan(result, 0)
        self.assertEqual(result.out,
                         "apiVersion: kueue.x-k8s.io/v1beta1\nkind: WorkloadPriorityClass\n"
                         "metadata:\n  name: c\nvalue: 0\ndescription: \"low\"\n---\n"
                         "apiVersion: kueue.x-k8s.io/v1beta1\nkind: WorkloadPriorityClass\n"
                         "metadata:\n  name: d\nvalue: 7\n")

    def hyperpod(self, text, code=0):
        result = program.run("classes", f"--policy={self.file('p.txtpb', text)}", "--target=hyperpod")
        self.assertRan(result, code)
        return result

    def test_hyperpod(self):
        self.assertEqual(self.hyperpod(self.TWO).objects(),
                         [{"PriorityClasses": [{"Name": "c", "Weight": 50}, {"Name": "d", "Weight": 100}]}])
        ten = " ".join(f'priority_classes {{ name: "c{i}" at_least: {i} }}' for i in range(10))
        weights = [c["Weight"] for c in self.hyperpod(ten).objects()[0]["PriorityClasses"]]
        self.assertEqual(weights, [10, 20, 30, 40, 50, 60, 70, 80, 90, 100])
        eleven = ten + ' priority_classes { name: "c10" at_least: 10 }'
        self.assertIn("HyperPod takes 10", self.hyperpod(eleven, code=2).err)
        for name in ("a.b", "x" * 41):
            self.assertIn("HyperPod takes 40", self.hyperpod(
                f'priority_classes {{ name: "{name}" at_least: 0 }}', code=2).err)

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
