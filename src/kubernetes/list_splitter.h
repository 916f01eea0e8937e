// ListSplitter: the objects of a text of JSON, one by one, in bounded memory.
//
// A list of a million pods is one JSON value of gigabytes. This finds where its items
// begin and end and looks at nothing else; what parses an item says what is wrong in it.
#ifndef PRECEDENT_SRC_KUBERNETES_LIST_SPLITTER_H_
#define PRECEDENT_SRC_KUBERNETES_LIST_SPLITTER_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace precedent::kubernetes {

class ListSplitter {
 public:
  struct Sink {
    // An object that is no list, or an item of one. `list` is the list as far as it was
    // read before its items; empty where there is none. `index` counts items.
    std::function<void(std::string_view object, std::string_view list, std::size_t index)> object;
    // A list without its items, after its end.
    std::function<void(std::string_view list)> list;
    // What is wrong with the text itself.
    std::function<void(std::string problem)> problem;
  };

  // An object or item of more than `max_bytes` is a problem, and left out.
  ListSplitter(Sink sink, std::size_t max_bytes) : sink_(std::move(sink)), max_bytes_(max_bytes) {}

  // The next bytes. Linear.
  void Read(std::string_view bytes);
  // The text ends: what is still open is a problem.
  void End();

 private:
  void Take(char c);
  void TakeInString(char c);
  void Begin(char c);
  void Append(char c);
  void Close(char c);
  void EndItem();
  void Damaged(std::string problem);
  void Reset();

  Sink sink_;
  std::size_t max_bytes_;

  int depth_ = 0;            // brackets open
  bool in_string_ = false;
  bool escaped_ = false;
  char before_ = '\0';       // the last character that is no white space
  bool in_items_ = false;    // depth 2 is the list's own
  bool is_list_ = false;     // items were there
  bool junk_ = false;        // outside of any value, and said so
  bool too_large_ = false;
  std::size_t index_ = 0;
  std::string header_;       // the value without its items
  std::string item_;
  std::string word_;         // the last string at depth 1, cut
  std::string key_;          // of the member at depth 1
};

}  // namespace precedent::kubernetes

#endif  // PRECEDENT_SRC_KUBERNETES_LIST_SPLITTER_H_
