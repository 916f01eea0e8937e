#include "src/policy/pattern_nfa.h"

#include <cstddef>
#include <string>
#include <utility>

namespace precedent::internal {
namespace {

constexpr std::size_t kMostNodes = 1000;
constexpr int kMostDepth = 30;
constexpr int kMostRepeats = 100;

using Bytes = std::bitset<256>;

// What is matched, before it is nodes.
struct Piece {
  enum Kind { kClass, kLiteral, kConcat, kAlternate, kRepeat };
  Kind kind = kConcat;
  Bytes ascii;                // kClass
  bool beyond_ascii = false;  // kClass: all other characters too
  std::string text;           // kLiteral
  std::vector<Piece> pieces;  // the others
  int least = 0;              // kRepeat
  int most = 0;               // kRepeat; -1: no limit
};

bool IsPunctuation(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte > ' ' && byte < 0x7f && c != '_' && !(c >= '0' && c <= '9') &&
         !(c >= 'A' && c <= 'Z') && !(c >= 'a' && c <= 'z');
}

void SetRange(char low, char high, Bytes* set) {
  for (int c = static_cast<unsigned char>(low); c <= static_cast<unsigned char>(high); ++c)
    set->set(static_cast<std::size_t>(c));
}

// The characters of `\d` and its like, of their small letter.
bool NamedClass(char name, Bytes* set) {
  if (name != 'd' && name != 'w' && name != 's') return false;
  if (name == 's') {
    for (const char c : {'\t', '\n', '\f', '\r', ' '}) SetRange(c, c, set);
    return true;
  }
  SetRange('0', '9', set);
  if (name == 'd') return true;
  SetRange('A', 'Z', set);
  SetRange('a', 'z', set);
  SetRange('_', '_', set);
  return true;
}

Bytes OtherAscii(const Bytes& set) {
  Bytes ascii;
  SetRange('\0', '\x7f', &ascii);
  return ascii & ~set;
}

class Parser {
 public:
  explicit Parser(std::string_view pattern) : rest_(pattern) {}

  // False: leave it to RE2.
  bool Parse(Piece* piece) { return Alternate(0, piece) && rest_.empty(); }

 private:
  bool Next(char c) const { return !rest_.empty() && rest_.front() == c; }
  bool Take(char c) {
    if (!Next(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool IsQuantifier() const { return Next('*') || Next('+') || Next('?') || Next('{'); }

  bool Alternate(int depth, Piece* piece) {
    if (depth > kMostDepth) return false;
    piece->kind = Piece::kAlternate;
    do {
      if (!Concat(depth, &piece->pieces.emplace_back())) return false;
    } while (Take('|'));
    return true;
  }

  // Anchors say nothing at the ends of the whole, and are left to RE2 elsewhere.
  bool Concat(int depth, Piece* piece) {
    if (depth == 0)
      while (Take('^')) {
      }
    while (!rest_.empty() && !Next('|') && !Next(')')) {
      if (Next('$')) {
        while (Take('$')) {
        }
        return depth == 0 && (rest_.empty() || Next('|'));
      }
      Piece atom;
      if (!Atom(depth, &atom) || !Repeats(&atom)) return false;
      piece->pieces.push_back(std::move(atom));
    }
    return true;
  }

  bool Repeats(Piece* atom) {
    if (!IsQuantifier()) return true;
    Piece repeat;
    repeat.kind = Piece::kRepeat;
    repeat.most = -1;
    if (Take('*')) {
    } else if (Take('+')) {
      repeat.least = 1;
    } else if (Take('?')) {
      repeat.most = 1;
    } else {
      Take('{');
      if (!Count(&repeat.least)) return false;
      repeat.most = repeat.least;
      if (Take(',')) {
        repeat.most = -1;
        if (!Next('}') && !Count(&repeat.most)) return false;
      }
      if (!Take('}')) return false;
    }
    // Which of several matches is found first does not matter.
    Take('?');
    if (IsQuantifier()) return false;
    repeat.pieces.push_back(std::move(*atom));
    *atom = std::move(repeat);
    return true;
  }

  bool Count(int* count) {
    if (rest_.empty() || rest_.front() < '0' || rest_.front() > '9') return false;
    *count = 0;
    while (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9') {
      *count = *count * 10 + (rest_.front() - '0');
      if (*count > kMostRepeats) return false;
      rest_.remove_prefix(1);
    }
    return true;
  }

  bool Atom(int depth, Piece* piece) {
    const char c = rest_.front();
    const auto byte = static_cast<unsigned char>(c);
    if (c == '^' || c == '*' || c == '+' || c == '?' || c == '{') return false;
    if (c == '[') return Class(piece);
    if (c == '\\') return Escape(piece);
    if (byte >= 0x80) {
      const std::size_t size = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
      piece->kind = Piece::kLiteral;
      piece->text = std::string(rest_.substr(0, size));
      rest_.remove_prefix(piece->text.size());
      return true;
    }
    rest_.remove_prefix(1);
    if (c == '(') {
      if (Take('?') && !Take(':')) return false;
      return Alternate(depth + 1, piece) && Take(')');
    }
    piece->kind = Piece::kClass;
    if (c == '.') {
      SetRange('\0', '\x7f', &piece->ascii);
      piece->beyond_ascii = true;
    } else {
      SetRange(c, c, &piece->ascii);
    }
    return true;
  }

  bool Escape(Piece* piece) {
    piece->kind = Piece::kClass;
    if (rest_.size() < 2) return false;
    const char name = rest_[1];
    char c = 0;
    if (NamedClass(static_cast<char>(name | 0x20), &piece->ascii) && IsLetter(name)) {
      if ((name & 0x20) == 0) {
        piece->ascii = OtherAscii(piece->ascii);
        piece->beyond_ascii = true;
      }
      rest_.remove_prefix(2);
      return true;
    }
    if (!EscapedCharacter(&c)) return false;
    SetRange(c, c, &piece->ascii);
    return true;
  }

  static bool IsLetter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

  bool EscapedCharacter(char* c) {
    if (rest_.size() < 2 || rest_[0] != '\\') return false;
    *c = rest_[1];
    if (*c == 'n') {
      *c = '\n';
    } else if (*c == 't') {
      *c = '\t';
    } else if (!IsPunctuation(*c)) {
      return false;
    }
    rest_.remove_prefix(2);
    return true;
  }

  bool Class(Piece* piece) {
    piece->kind = Piece::kClass;
    Take('[');
    const bool negated = Take('^');
    for (bool first = true; first || !Next(']'); first = false) {
      if (rest_.size() < 2 || rest_.substr(0, 2) == "[:") return false;
      if (rest_[0] == '\\' && NamedClass(rest_[1], &piece->ascii)) {
        rest_.remove_prefix(2);
        continue;
      }
      char low = 0;
      if (!Member(&low)) return false;
      char high = low;
      if (rest_.size() >= 2 && rest_[0] == '-' && rest_[1] != ']') {
        Take('-');
        if (!Member(&high)) return false;
      }
      SetRange(low, high, &piece->ascii);
    }
    Take(']');
    if (negated) {
      piece->ascii = OtherAscii(piece->ascii);
      piece->beyond_ascii = true;
    }
    return true;
  }

  bool Member(char* c) {
    if (rest_.empty()) return false;
    if (rest_[0] == '\\') return EscapedCharacter(c);
    *c = rest_[0];
    rest_.remove_prefix(1);
    return static_cast<unsigned char>(*c) < 0x80;
  }

  std::string_view rest_;
};

// From the end to the beginning: each piece is told what follows it.
class NodeWriter {
 public:
  explicit NodeWriter(std::vector<PatternNfa::Node>* nodes)
      : nodes_(*nodes), limit_(nodes->size() + kMostNodes) {}

  bool full() const { return nodes_.size() > limit_; }

  std::uint32_t Match(std::uint32_t number) {
    return Add({PatternNfa::Node::kMatch, {}, 0, number});
  }

  // Where `piece` begins if `next` follows it.
  std::uint32_t Write(const Piece& piece, std::uint32_t next) {
    if (full()) return next;
    switch (piece.kind) {
      case Piece::kClass: return WriteClass(piece, next);
      case Piece::kLiteral:
        for (std::size_t i = piece.text.size(); i-- > 0;) {
          Bytes byte;
          SetRange(piece.text[i], piece.text[i], &byte);
          next = Step(byte, next);
        }
        return next;
      case Piece::kConcat:
        for (std::size_t i = piece.pieces.size(); i-- > 0;) next = Write(piece.pieces[i], next);
        return next;
      case Piece::kAlternate: {
        std::uint32_t begin = Write(piece.pieces.back(), next);
        for (std::size_t i = piece.pieces.size() - 1; i-- > 0;)
          begin = Split(Write(piece.pieces[i], next), begin);
        return begin;
      }
      case Piece::kRepeat: return WriteRepeat(piece, next);
    }
    return next;
  }

 private:
  std::uint32_t Add(const PatternNfa::Node& node) {
    nodes_.push_back(node);
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }
  std::uint32_t Step(const Bytes& bytes, std::uint32_t next) {
    return Add({PatternNfa::Node::kBytes, bytes, next, 0});
  }
  std::uint32_t Split(std::uint32_t a, std::uint32_t b) {
    return Add({PatternNfa::Node::kSplit, {}, a, b});
  }
  std::uint32_t Range(int low, int high, std::uint32_t next) {
    Bytes bytes;
    SetRange(static_cast<char>(low), static_cast<char>(high), &bytes);
    return Step(bytes, next);
  }

  std::uint32_t WriteClass(const Piece& piece, std::uint32_t next) {
    if (!piece.beyond_ascii) return Step(piece.ascii, next);
    // The sequences that RE2 takes for a character: some more than UTF-8 has.
    const std::uint32_t one = Range(0x80, 0xbf, next);
    const std::uint32_t two = Range(0x80, 0xbf, one);
    const std::uint32_t three = Range(0x80, 0xbf, two);
    return Split(Step(piece.ascii, next),
                 Split(Range(0xc2, 0xdf, one),
                       Split(Range(0xe0, 0xef, two), Range(0xf0, 0xf4, three))));
  }

  std::uint32_t WriteRepeat(const Piece& piece, std::uint32_t next) {
    const Piece& what = piece.pieces[0];
    if (piece.most < 0) {
      const std::uint32_t loop = Split(next, next);
      const std::uint32_t body = Write(what, loop);
      nodes_[loop].next = body;
      next = loop;
    } else {
      const std::uint32_t end = next;
      for (int i = piece.least; i < piece.most; ++i) next = Split(Write(what, next), end);
    }
    for (int i = 0; i < piece.least; ++i) next = Write(what, next);
    return next;
  }

  std::vector<PatternNfa::Node>& nodes_;
  const std::size_t limit_;
};

}  // namespace

bool AddPattern(std::string_view pattern, std::uint32_t number, PatternNfa* nfa) {
  Piece piece;
  if (!Parser(pattern).Parse(&piece)) return false;
  const std::size_t before = nfa->nodes.size();
  NodeWriter writer(&nfa->nodes);
  const std::uint32_t start = writer.Write(piece, writer.Match(number));
  if (writer.full()) {
    nfa->nodes.resize(before);
    return false;
  }
  nfa->starts.push_back(start);
  return true;
}

}  // namespace precedent::internal
