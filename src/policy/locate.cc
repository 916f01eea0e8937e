#include "src/policy/locate.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>

#include "src/policy/path.h"

namespace precedent::internal {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

// One step of a path: a field, an index or a map key as Path::Key wrote it.
struct Step {
  enum class Kind { kField, kIndex, kKey } kind = Kind::kField;
  std::string_view text;
};

// Takes the first step off `*path`. False at the end and at what is no path.
bool TakeStep(std::string_view* path, Step* step) {
  if (path->empty()) return false;
  if ((*path)[0] != '[') {
    if ((*path)[0] == '.') path->remove_prefix(1);
    const std::size_t end = std::min(path->find_first_of(".["), path->size());
    *step = {Step::Kind::kField, path->substr(0, end)};
    path->remove_prefix(end);
    return true;
  }
  if (path->size() > 1 && (*path)[1] == '"') {
    for (std::size_t i = 2; i + 1 < path->size(); ++i) {
      if ((*path)[i] == '\\') {
        ++i;
      } else if ((*path)[i] == '"' && (*path)[i + 1] == ']') {
        *step = {Step::Kind::kKey, path->substr(0, i + 2)};
        path->remove_prefix(i + 2);
        return true;
      }
    }
    return false;
  }
  const std::size_t end = path->find(']');
  if (end == std::string_view::npos) return false;
  *step = {Step::Kind::kIndex, path->substr(1, end - 1)};
  path->remove_prefix(end + 1);
  return true;
}

class Locator {
 public:
  Locator(const Node& root, const Descriptor& type, Dialect dialect)
      : root_(root), type_(type), dialect_(dialect) {}

  void Locate(Issue* issue) {
    const Node* node = &root_;
    const Descriptor* type = &type_;
    const FieldDescriptor* field = nullptr;
    std::string_view path = issue->path;
    Step step;
    while (TakeStep(&path, &step)) {
      const Node* next = nullptr;
      if (step.kind == Step::Kind::kField) {
        if (type == nullptr || !node->is_object()) break;
        field = type->FindFieldByName(std::string(step.text));
        if (field == nullptr) break;
        type = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE ? field->message_type()
                                                                     : nullptr;
        const std::vector<const Node*>* elements = Elements(node, field);
        if (elements == nullptr) break;
        if (field->is_repeated()) {
          // The step after this one says which; until then the first.
          elements_ = elements;
          if (!elements->empty() && path.empty()) node = elements->front();
          if (elements->empty()) break;
          continue;
        }
        next = elements->front();
      } else if (elements_ == nullptr) {
        break;
      } else if (step.kind == Step::Kind::kIndex) {
        const std::size_t index = std::strtoul(std::string(step.text).c_str(), nullptr, 10);
        if (index >= elements_->size()) break;
        next = (*elements_)[index];
      } else {
        next = Entry(*elements_, step.text);
        type = field->message_type()->map_value()->message_type();
        // The entry's place is that of its key, what follows stands in its value.
        if (next == nullptr) break;
        place_ = next;
        if (dialect_ == Dialect::kText) next = next->Find("value");
        if (next == nullptr) break;
        node = next;
        if (!path.empty()) place_ = nullptr;
        elements_ = nullptr;
        continue;
      }
      elements_ = nullptr;
      node = next;
    }
    const Node* place = place_ != nullptr ? place_ : node;
    place_ = nullptr;
    elements_ = nullptr;
    if (place == &root_) return;  // nothing of the path stands in the source
    const bool has_key = place->key_line != 0;
    issue->line = static_cast<int>(has_key ? place->key_line : place->line);
    issue->column = static_cast<int>(has_key ? place->key_column : place->column);
  }

 private:
  using FieldElements = std::unordered_map<const FieldDescriptor*, std::vector<const Node*>>;

  // The nodes of a field in `object`: one, or all elements of a repeated one. Each
  // object is taken apart once, so that a million issues in one list stay linear.
  const std::vector<const Node*>* Elements(const Node* object, const FieldDescriptor* field) {
    auto [found, is_new] = objects_.try_emplace(object);
    if (is_new) {
      const Descriptor* type = field->containing_type();
      for (const Node& member : object->children) {
        const FieldDescriptor* own = FieldOf(*type, member.key);
        if (own == nullptr) continue;
        std::vector<const Node*>& elements = found->second[own];
        const bool open = own->is_repeated() && (member.is_list() || (own->is_map() &&
                                                 dialect_ == Dialect::kJson));
        if (!open) {
          elements.push_back(&member);
        } else {
          for (const Node& item : member.children) elements.push_back(&item);
        }
      }
    }
    const auto elements = found->second.find(field);
    return elements == found->second.end() ? nullptr : &elements->second;
  }

  const FieldDescriptor* FieldOf(const Descriptor& type, std::string_view key) const {
    const FieldDescriptor* field = type.FindFieldByName(std::string(key));
    for (int i = 0; field == nullptr && dialect_ == Dialect::kJson && i < type.field_count(); ++i)
      if (type.field(i)->json_name() == key) field = type.field(i);
    return field;
  }

  const Node* Entry(const std::vector<const Node*>& elements, std::string_view step) {
    auto [found, is_new] = maps_.try_emplace(&elements);
    if (is_new) {
      for (const Node* element : elements) {
        const Node* key = dialect_ == Dialect::kText ? element->Find("key") : nullptr;
        Path path;
        path.Key(key != nullptr ? key->text : element->key);
        found->second.emplace(path.text(), element);
      }
    }
    const auto entry = found->second.find(std::string(step));
    return entry == found->second.end() ? nullptr : entry->second;
  }

  const Node& root_;
  const Descriptor& type_;
  const Dialect dialect_;
  std::unordered_map<const Node*, FieldElements> objects_;
  std::unordered_map<const std::vector<const Node*>*,
                     std::unordered_map<std::string, const Node*>>
      maps_;
  // State of one walk.
  const std::vector<const Node*>* elements_ = nullptr;
  const Node* place_ = nullptr;
};

}  // namespace

void LocateIssues(const Node& root, const Descriptor& type, Dialect dialect,
                  std::vector<Issue>* issues) {
  Locator locator(root, type, dialect);
  for (Issue& issue : *issues)
    if (issue.line == 0 && !issue.path.empty()) locator.Locate(&issue);
}

}  // namespace precedent::internal
