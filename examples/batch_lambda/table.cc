#include "examples/batch_lambda/table.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "src/json/document.h"
#include "src/json/writer.h"

namespace precedent::batch_lambda {
namespace {

using json::AppendKey;
using json::AppendMember;

AwsReply Send(Aws& aws, const char* operation, std::string body) {
  AwsRequest request;
  request.service = "dynamodb";
  request.target = absl::StrCat("DynamoDB_20120810.", operation);
  request.body = std::move(body);
  return aws.Call(request);
}

// Where every write of a transaction has no other reason than its condition.
bool OnlyConditions(const std::string& body) {
  const auto document = json::Document::Parse(body);
  if (!document.ok()) return false;
  bool any = false;
  for (const json::Value reason : (*document)->root().Get("CancellationReasons").Items()) {
    const auto code = reason.Get("Code").String().value_or("None");
    if (code == "ConditionalCheckFailed")
      any = true;
    else if (code != "None")
      return false;
  }
  return any;
}

}  // namespace

std::string Item::Text(const std::string& name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? "" : found->second.text;
}

std::int64_t Item::Number(const std::string& name) const {
  std::int64_t number = 0;
  return absl::SimpleAtoi(Text(name), &number) ? number : 0;
}

absl::StatusOr<std::optional<Item>> Table::Get(const std::string& key) const {
  std::string text = "{";
  AppendMember("TableName", name_, &text);
  text += ",\"ConsistentRead\":true,\"Key\":{\"itemKey\":{";
  AppendMember("S", key, &text);
  text += "}}}";
  const AwsReply reply = Send(*aws_, "GetItem", std::move(text));
  if (!reply.ok()) return StatusOf(reply, "GetItem");
  const auto document = json::Document::Parse(reply.body, "GetItem");
  if (!document.ok()) return absl::UnavailableError(document.status().message());
  const json::Value found = (*document)->root().Get("Item");
  if (!found.present()) return std::optional<Item>();
  Item item;
  for (const auto& member : found.Members()) {
    const auto text_value = member.value.Get("S").String();
    const auto number = member.value.Get("N").String();
    if (text_value.has_value()) item.Set(std::string(member.key), Attribute(*text_value));
    if (number.has_value()) item.Set(std::string(member.key), Attribute(*number));
  }
  if (!(*document)->status().ok()) return absl::UnavailableError((*document)->status().message());
  return std::optional<Item>(std::move(item));
}

std::string Table::Body(const Write& write) const {
  std::string text = "{";
  AppendMember("TableName", name_, &text);
  text += ",\"Key\":{\"itemKey\":{";
  AppendMember("S", write.key, &text);
  text += "}}";
  AppendMember("UpdateExpression", write.update, &text);
  if (!write.condition.empty()) AppendMember("ConditionExpression", write.condition, &text);
  if (!write.values.empty()) {
    AppendKey("ExpressionAttributeValues", &text);
    text += '{';
    for (const auto& [name, value] : write.values) {
      AppendKey(absl::StrCat(":", name), &text);
      text += '{';
      AppendMember(value.number ? "N" : "S", value.text, &text);
      text += '}';
    }
    text += '}';
  }
  text += '}';
  return text;
}

absl::StatusOr<bool> Table::Put(const Write& write) const {
  const AwsReply reply = Send(*aws_, "UpdateItem", Body(write));
  if (reply.ok()) return true;
  if (reply.code == "ConditionalCheckFailedException") return false;
  return StatusOf(reply, "UpdateItem");
}

absl::StatusOr<bool> Table::PutAll(const std::vector<Write>& writes) const {
  std::string text = "{\"TransactItems\":[";
  for (std::size_t i = 0; i < writes.size(); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ",", "{\"Update\":", Body(writes[i]), "}");
  }
  text += "]}";
  const AwsReply reply = Send(*aws_, "TransactWriteItems", std::move(text));
  if (reply.ok()) return true;
  if (reply.code == "TransactionCanceledException") {
    if (OnlyConditions(reply.body)) return false;
    // Another transaction was at it: nothing is written, and the next time may do.
    return absl::UnavailableError(absl::StrCat("TransactWriteItems: ", reply.message));
  }
  return StatusOf(reply, "TransactWriteItems");
}

}  // namespace precedent::batch_lambda
