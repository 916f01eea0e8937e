// Names with `*`, as AdapterOptions has them.
#ifndef PRECEDENT_SRC_ADAPTER_WILDCARD_H_
#define PRECEDENT_SRC_ADAPTER_WILDCARD_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace precedent::adapter {

// A text in which each `*` stands for any characters, none included; all else
// stands for itself.
class Wildcard {
 public:
  explicit Wildcard(std::string_view pattern) {
    for (;;) {
      const std::size_t star = pattern.find('*');
      parts_.emplace_back(pattern.substr(0, star));
      if (star == std::string_view::npos) break;
      pattern.remove_prefix(star + 1);
    }
  }

  bool Matches(std::string_view text) const {
    const std::string& head = parts_.front();
    const std::string& tail = parts_.back();
    if (parts_.size() == 1) return text == head;
    if (text.size() < head.size() + tail.size()) return false;
    if (text.substr(0, head.size()) != head) return false;
    if (text.substr(text.size() - tail.size()) != tail) return false;
    text = text.substr(head.size(), text.size() - head.size() - tail.size());
    // The first place for each part is as good as any: it leaves the most.
    for (std::size_t i = 1; i + 1 < parts_.size(); ++i) {
      const std::size_t at = text.find(parts_[i]);
      if (at == std::string_view::npos) return false;
      text.remove_prefix(at + parts_[i].size());
    }
    return true;
  }

 private:
  std::vector<std::string> parts_;  // between the stars; at least one
};

}  // namespace precedent::adapter

#endif  // PRECEDENT_SRC_ADAPTER_WILDCARD_H_
