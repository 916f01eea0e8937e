// Dead letters: messages that can never succeed, with the reason.
#ifndef PRECEDENT_EXAMPLES_BATCH_LAMBDA_DEAD_LETTER_H_
#define PRECEDENT_EXAMPLES_BATCH_LAMBDA_DEAD_LETTER_H_

#include <string_view>

#include "examples/batch_lambda/handler.h"

namespace precedent::batch_lambda {

// The message as it was, with the attributes `reason` and `messageId`. One so long that
// the attributes have no room beside it loses its end and says so (`cutFrom`, bytes). A
// crash right after it may bring it twice.
absl::Status SendDeadLetter(Work& work, std::string_view body, std::string_view message_id,
                            std::string_view reason);

}  // namespace precedent::batch_lambda

#endif  // PRECEDENT_EXAMPLES_BATCH_LAMBDA_DEAD_LETTER_H_
