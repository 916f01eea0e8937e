#include "src/aws/documents.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/aws/events.h"
#include "src/json/path.h"
#include "src/json/time.h"

namespace precedent::aws {
namespace {

using adapter::Draft;
using json::Document;
using json::Value;

std::string_view Text(Value value) { return value.String().value_or(std::string_view()); }

// Reads the jobs of one text into items.
class Reader {
 public:
  Reader(const Tables& tables, Document* definition, std::vector<ReadItem>& items)
      : tables_(tables), definition_(definition), items_(items) {}

  // An error is one of the whole text.
  absl::Status Read(Document& document, bool in_message) {
    const Value root = document.root();
    const Shape shape = ShapeOf(root);
    switch (shape) {
      case Shape::kRecords:
        if (in_message) return absl::InvalidArgumentError("a message within a message is not read");
        return ReadRecords(document);
      case Shape::kEvent:
        return ReadEvent(document);
      case Shape::kJobList:
        for (const Value job : root.Get("jobs").Items()) {
          const bool object = job.is_object();
          if (!object) job.Fail("must be an object");
          Add(job.Path(), Shape::kJob, job, document, false);
        }
        return document.TakeStatus();
      case Shape::kUnknown:
        return absl::InvalidArgumentError(
            "is nothing of AWS Batch's: no request, definition, description or event");
      default:
        Add("", shape, root, document, in_message);
        return absl::OkStatus();
    }
  }

 private:
  void Add(std::string place, Shape shape, Value object, Document& document, bool in_message) {
    Bodies bodies = BodiesOf(shape, object, definition_ == nullptr ? Value() : definition_->root());
    bodies.message = in_message;
    absl::StatusOr<ReadResult> read = ReadOne(tables_, shape, bodies, document, definition_);
    if (!read.ok()) return Fail(std::move(place), read.status());
    ReadItem item{{std::move(place), "", std::move(read->job)}, std::vector<v1::LineageEvent>()};
    if (shape == Shape::kJob || shape == Shape::kServiceJob) {
      item.events = EventsOf(object, item.job->job, read->carried, told_at_);
      if (absl::Status status = document.TakeStatus(); !status.ok()) item.events = status;
    }
    items_.push_back(std::move(item));
  }

  void Fail(std::string place, absl::Status why) {
    items_.push_back({{std::move(place), "", why}, why});
  }

  absl::Status ReadEvent(Document& document) {
    const Value root = document.root();
    const std::string_view type = Text(root.Get("detail-type"));
    const bool service = type == "Batch Service Job State Change";
    if (Text(root.Get("source")) != "aws.batch" || (!service && type != "Batch Job State Change")) {
      if (absl::Status status = document.TakeStatus(); !status.ok()) return status;
      return absl::UnimplementedError(
          absl::StrCat("detail-type: events `", json::Printable(type), "` of `",
                       json::Printable(Text(root.Get("source"))),
                       "` are not read; Batch's job state changes are"));
    }
    const Value detail = root.Get("detail");
    if (!detail.is_object()) detail.Fail("must be an object");
    told_at_ = json::ParseTime(Text(root.Get("time"))).value_or(absl::InfinitePast());
    Add("detail", service ? Shape::kServiceJob : Shape::kJob, detail, document, false);
    return absl::OkStatus();
  }

  absl::Status ReadRecords(Document& document) {
    bool failed = false;  // of a FIFO queue, whose order then ends
    for (const Value record : document.root().Get("Records").Items()) {
      const std::size_t before = items_.size();
      const Value body = record.Get("body");
      const std::string id(Text(record.Get("messageId")));
      const std::string queue(Text(record.Get("eventSourceARN")));
      const bool fifo = absl::EndsWith(queue, ".fifo");
      absl::Status status =
          failed ? absl::AbortedError("is not read: an earlier message of this FIFO queue failed")
                 : ReadBody(body);
      if (!status.ok()) Fail("", status);
      for (std::size_t i = before; i < items_.size(); ++i) PlaceInMessage(body, items_[i]);
      // Errors of the envelope have their path already.
      if (absl::Status own = document.TakeStatus(); !own.ok()) {
        items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(before), items_.end());
        Fail(body.Path(), own);
      }
      for (std::size_t i = before; i < items_.size(); ++i) {
        items_[i].message_id = id;
        failed = failed || (fifo && !items_[i].job.ok());
      }
    }
    return document.TakeStatus();
  }

  // What the message says of itself, as the document that holds it says it.
  static void PlaceInMessage(Value body, ReadItem& item) {
    const std::string path = body.Path();
    item.place = item.place.empty() ? path : absl::StrCat(path, ": ", item.place);
    const auto placed = [&](const absl::Status& status) {
      return absl::Status(status.code(), absl::StrCat(path, ": ", std::string(status.message())));
    };
    if (!item.job.ok()) item.job = placed(item.job.status());
    if (!item.events.ok()) item.events = placed(item.events.status());
  }

  absl::Status ReadBody(Value body) {
    if (!body.present()) body.Fail("is missing");
    const std::string_view text = Text(body);
    if (!body.String().has_value()) return absl::OkStatus();  // reported in the document
    absl::StatusOr<std::unique_ptr<Document>> message = ParseObject(text);
    if (!message.ok()) return message.status();
    return Read(**message, true);
  }

  const Tables& tables_;
  Document* definition_;
  std::vector<ReadItem>& items_;
  // Of the event that is being read.
  absl::Time told_at_ = absl::InfinitePast();
};

}  // namespace

absl::StatusOr<std::unique_ptr<Document>> ParseObject(std::string_view text,
                                                      std::string_view what) {
  absl::StatusOr<std::unique_ptr<Document>> document = Document::Parse(text, what);
  if (!document.ok()) return document;
  if (!(*document)->root().is_object()) {
    (*document)->root().Fail("must be a JSON object");
    return (*document)->status();
  }
  return document;
}

Bodies BodiesOf(Shape shape, Value object, Value definition) {
  if (shape == Shape::kSubmitJob) return {object, definition};
  return {Value(), object};
}

absl::StatusOr<ReadResult> ReadOne(const Tables& tables, Shape shape, const Bodies& bodies,
                                   Document& document, Document* definition) {
  Draft draft;
  const bool service = shape == Shape::kServiceJob || shape == Shape::kSubmitServiceJob;
  const std::optional<std::int64_t> limit =
      service ? ReadServiceJob(tables, bodies.Own(), draft) : ReadJob(tables, bodies, draft);
  absl::Status status = document.TakeStatus();
  if (definition != nullptr) {
    absl::Status of_definition = definition->TakeStatus();
    if (status.ok()) status = of_definition;
  }
  if (!status.ok()) return status;
  v1::Lineage carried = std::move(draft.carried);
  return ReadResult{std::move(draft).Finish(), std::move(carried), limit};
}

absl::StatusOr<std::vector<ReadItem>> ReadAll(const Tables& tables, std::string_view text,
                                              std::string_view definition_text) {
  const absl::StatusOr<std::unique_ptr<Document>> document = ParseObject(text);
  if (!document.ok()) return document.status();
  std::unique_ptr<Document> definition;
  if (!definition_text.empty()) {
    absl::StatusOr<std::unique_ptr<Document>> parsed = ParseObject(definition_text, "definition");
    if (!parsed.ok()) return parsed.status();
    definition = *std::move(parsed);
  }
  std::vector<ReadItem> items;
  absl::Status status = Reader(tables, definition.get(), items).Read(**document, false);
  if (!status.ok()) return status;
  return items;
}

}  // namespace precedent::aws
