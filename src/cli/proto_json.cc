#include "src/cli/proto_json.h"

#include <memory>

#include "absl/strings/str_cat.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/util/json_util.h"
#include "google/protobuf/util/type_resolver.h"
#include "google/protobuf/util/type_resolver_util.h"

namespace precedent::cli {
namespace {

constexpr char kTypePrefix[] = "type.googleapis.com";

// protobuf 26 gave the option another name. Whichever member is there is set.
template <typename Options>
auto PrintDefaults(Options& options, int)
    -> decltype(void(options.always_print_fields_with_no_presence)) {
  options.always_print_fields_with_no_presence = true;
}
template <typename Options>
void PrintDefaults(Options& options, long) {
  options.always_print_primitive_fields = true;
}

// The entries of maps in the order of their keys: MessageToJsonString takes them as
// they come, which is another way in every process.
std::string DeterministicBytes(const google::protobuf::Message& message) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    message.SerializeToCodedStream(&coded);
  }  // the streams write what they hold when they go
  return bytes;
}

}  // namespace

std::string JsonLine(const google::protobuf::Message& message) {
  static google::protobuf::util::TypeResolver* const resolver =
      google::protobuf::util::NewTypeResolverForDescriptorPool(
          kTypePrefix, google::protobuf::DescriptorPool::generated_pool());
  google::protobuf::util::JsonPrintOptions options;
  PrintDefaults(options, 0);
  std::string json;
  // Fails only on texts that are not UTF-8, which no message here holds.
  (void)google::protobuf::util::BinaryToJsonString(
      resolver, absl::StrCat(kTypePrefix, "/", message.GetDescriptor()->full_name()),
      DeterministicBytes(message), &json, options);
  return json;
}

}  // namespace precedent::cli
