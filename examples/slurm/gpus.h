// GPUs of a job as Slurm's users spell them.
#ifndef PRECEDENT_EXAMPLES_SLURM_GPUS_H_
#define PRECEDENT_EXAMPLES_SLURM_GPUS_H_

#include <optional>
#include <string>
#include <string_view>

namespace precedent::slurm {

struct Gpus {
  double count = 0;
  std::string type;  // empty: none given, or more than one
};

// The GPUs of one list such as `gres:gpu:a100:2,gres:shard:1`: entries of other kinds count
// for nothing, an entry without number for one. Spellings: `gpu`, `gpu:2`, `gpu:a100`,
// `gpu:a100:2`, `gpu=2`, `gpu:a100=2`, each also behind `gres:` or `gres/`, with a suffix K
// or M (times 1024) and sockets in parentheses. nullopt where an entry that begins as a GPU
// is none of these. Pure; linear in the text.
std::optional<Gpus> ParseGpus(std::string_view list);

}  // namespace precedent::slurm

#endif  // PRECEDENT_EXAMPLES_SLURM_GPUS_H_
