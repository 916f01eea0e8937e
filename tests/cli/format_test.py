"""precedent format: canonical text."""
import program


class FormatTest(program.TestCase):
    def test_examples_are_stable(self):
        for policy in sorted(program.POLICIES.glob("*.txtpb")):
            result = program.run("format", policy)
            self.assertRan(result, 0)
            self.assertEqual(result.err, "")
            again = program.run("format", self.file("again.txtpb", result.out))
            self.assertEqual(again.out, result.out)

    def test_the_same_policy_in_other_forms_is_the_same_text(self):
        forms = {
            "p.txtpb": '# c\nname: "p" stages: [{ rules { id: "a" set: 0 when { labels { key: "z" value { in: "1" } } '
                       'labels { key: "b" value { in: "2" } } } } }]',
            "p.json": '{"stages": [{"rules": [{"when": [{"labels": {"b": {"in": ["2"]}, "z": {"in": ["1"]}}}],'
                      ' "set": 0, "id": "a"}]}], "name": "p"}',
            "p.yaml": "name: p\nstages:\n- rules:\n  - id: a\n    set: 0\n    when:\n    - labels:\n"
                      "        z: {in: ['1']}\n        b: {in: ['2']}\n",
        }
        texts = {program.run("format", self.file(name, text)).out for name, text in forms.items()}
        self.assertEqual(len(texts), 1)
        self.assertIn('id: "a"', texts.pop())

    def test_errors(self):
        result = program.run("format", self.file("p.txtpb", "stages { rules { idd: \"a\" } }"))
        self.assertRan(result, 2)
        self.assertEqual(result.out, "")
        self.assertIn("p.txtpb:1:", result.err)
        result = program.run("format", self.folder)
        self.assertRan(result, 2)
        self.assertIn("is a directory", result.err)

    def test_standard_input(self):
        result = program.run("format", "-", stdin='{"name": "x"}')
        self.assertRan(result, 0)
        self.assertEqual(result.out, 'name: "x"\n')


if __name__ == "__main__":
    program.main()
