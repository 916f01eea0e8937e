#include "tests/unit/kubernetes/admission/json_tree.h"

#include <simdjson.h>

#include <cstdio>
#include <cstdlib>

namespace precedent::kubernetes {
namespace {

Tree FromElement(simdjson::dom::element element) {
  Tree tree;
  switch (element.type()) {
    case simdjson::dom::element_type::NULL_VALUE:
      break;
    case simdjson::dom::element_type::STRING:
      tree.kind = Tree::Kind::kString;
      tree.text = std::string(element.get_string().value());
      break;
    case simdjson::dom::element_type::ARRAY:
      tree.kind = Tree::Kind::kList;
      for (const auto item : simdjson::dom::array(element)) tree.items.push_back(FromElement(item));
      break;
    case simdjson::dom::element_type::OBJECT:
      tree.kind = Tree::Kind::kObject;
      for (const auto member : simdjson::dom::object(element)) {
        tree.members.emplace_back(std::string(member.key), FromElement(member.value));
      }
      break;
    default:
      tree.kind = Tree::Kind::kOther;
      tree.text = simdjson::minify(element);
  }
  return tree;
}

std::string Quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", c);
      out += escape;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

// The steps of a JSON Pointer; false where it is none.
bool Steps(const std::string& pointer, std::vector<std::string>* steps) {
  if (pointer.empty()) return true;
  if (pointer[0] != '/') return false;
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] == '/') {
      steps->emplace_back();
    } else if (pointer[i] != '~') {
      steps->back() += pointer[i];
    } else if (++i < pointer.size() && (pointer[i] == '0' || pointer[i] == '1')) {
      steps->back() += pointer[i] == '0' ? '~' : '/';
    } else {
      return false;
    }
  }
  return true;
}

Tree* Step(Tree* tree, const std::string& step) {
  if (tree->kind == Tree::Kind::kObject) return tree->Find(step);
  if (tree->kind != Tree::Kind::kList || step.empty() || step.size() > 6 ||
      step.find_first_not_of("0123456789") != std::string::npos ||
      (step.size() > 1 && step[0] == '0')) {
    return nullptr;
  }
  const std::size_t index = std::strtoul(step.c_str(), nullptr, 10);
  return index < tree->items.size() ? &tree->items[index] : nullptr;
}

std::string Apply(const Tree& operation, Tree* tree) {
  const std::string op = operation.TextAt("op");
  const std::string path = operation.TextAt("path");
  std::vector<std::string> steps;
  if (!Steps(path, &steps) || steps.empty()) return "bad path " + path;
  Tree* parent = tree;
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    parent = Step(parent, steps[i]);
    if (parent == nullptr) return "missing parent of " + path;
  }
  if (parent->kind != Tree::Kind::kObject) return "parent of " + path + " is no object";
  const Tree* value = operation.Find("value");
  if (op == "remove") {
    if (value != nullptr) return "remove with a value";
    return parent->Erase(steps.back()) ? "" : "nothing to remove at " + path;
  }
  if (op != "add" && op != "replace") return "operation " + op;
  if (value == nullptr) return "no value for " + path;
  if (op == "replace" && parent->Find(steps.back()) == nullptr) return "nothing at " + path;
  parent->Set(steps.back(), *value);
  return "";
}

}  // namespace

Tree Tree::String(std::string text) {
  Tree tree;
  tree.kind = Kind::kString;
  tree.text = std::move(text);
  return tree;
}

Tree Tree::Number(long long number) {
  Tree tree;
  tree.kind = Kind::kOther;
  tree.text = std::to_string(number);
  return tree;
}

Tree Tree::Object() {
  Tree tree;
  tree.kind = Kind::kObject;
  return tree;
}

Tree* Tree::Find(std::string_view key) {
  for (auto& [name, value] : members) {
    if (name == key) return &value;
  }
  return nullptr;
}

const Tree* Tree::Find(std::string_view key) const { return const_cast<Tree*>(this)->Find(key); }

const Tree* Tree::At(std::string_view dotted) const {
  const Tree* tree = this;
  while (tree != nullptr && !dotted.empty()) {
    const std::size_t dot = dotted.find('.');
    tree = tree->Find(dotted.substr(0, dot));
    dotted = dot == std::string_view::npos ? std::string_view() : dotted.substr(dot + 1);
  }
  return tree;
}

std::string Tree::TextAt(std::string_view dotted) const {
  const Tree* tree = At(dotted);
  return tree == nullptr ? "" : tree->text;
}

void Tree::Set(std::string_view key, Tree value) {
  if (Tree* old = Find(key)) {
    *old = std::move(value);
  } else {
    members.emplace_back(std::string(key), std::move(value));
  }
}

bool Tree::Erase(std::string_view key) {
  for (auto it = members.begin(); it != members.end(); ++it) {
    if (it->first != key) continue;
    members.erase(it);
    return true;
  }
  return false;
}

bool Tree::operator==(const Tree& other) const {
  if (kind != other.kind || text != other.text || items != other.items ||
      members.size() != other.members.size()) {
    return false;
  }
  for (const auto& [name, value] : members) {
    const Tree* same = other.Find(name);
    if (same == nullptr || !(*same == value)) return false;
  }
  return true;
}

std::string Tree::ToJson() const {
  std::string out;
  switch (kind) {
    case Kind::kNull:
      return "null";
    case Kind::kOther:
      return text;
    case Kind::kString:
      return Quoted(text);
    case Kind::kList:
      for (const Tree& item : items) out += (out.empty() ? "" : ",") + item.ToJson();
      return "[" + out + "]";
    case Kind::kObject:
      for (const auto& [name, value] : members) {
        out += (out.empty() ? "" : ",") + Quoted(name) + ":" + value.ToJson();
      }
      return "{" + out + "}";
  }
  return out;
}

Tree ParseTree(const std::string& json) {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  return parser.parse(json).get(root) == simdjson::SUCCESS ? FromElement(root) : Tree();
}

std::string ApplyPatch(const std::string& patch, Tree* tree) {
  const Tree operations = ParseTree(patch);
  if (operations.kind != Tree::Kind::kList) return "a patch is an array";
  for (const Tree& operation : operations.items) {
    const std::string error = Apply(operation, tree);
    if (!error.empty()) return error;
  }
  return "";
}

}  // namespace precedent::kubernetes
