// Jobs of one owner and lineage key, and the edges between jobs.
#include <algorithm>

#include "src/lineage/core.h"

namespace precedent::internal {

std::uint32_t LineageCore::FindGroup(std::string_view owner, std::string_view key, bool create) {
  const std::array<std::uint64_t, 2> hashes = {StoredHash(owner, key, 0),
                                               StoredHash(owner, key, 1)};
  return FindGroup(hashes, OwnerHash(owner), !key.empty(), create);
}

std::uint32_t LineageCore::FindGroup(const std::array<std::uint64_t, 2>& hashes,
                                     std::uint64_t owner, bool keyed, bool create) {
  const auto found = group_by_key_.find(hashes);
  if (found != group_by_key_.end()) return *found;
  if (!create) return kNone;
  const std::uint32_t number = groups.Take();
  groups[number] = Group{owner, {hashes[0], hashes[1]}, kNone, 0, keyed, {}};
  group_by_key_.insert(number);
  return number;
}

void LineageCore::EnterGroup(JobSlot slot) {
  Job& job = jobs[slot];
  Group& group = groups[job.group];
  ++group.members;
  if (!group.keyed) {
    job.newer = job.older = kNone;
    return;
  }
  JobSlot newer = kNone;
  JobSlot older = group.newest;
  while (older != kNone && jobs[older].submitted > job.submitted) {
    newer = older;
    older = jobs[older].older;
  }
  job.newer = newer;
  job.older = older;
  (newer == kNone ? group.newest : jobs[newer].older) = slot;
  if (older != kNone) jobs[older].newer = slot;
}

void LineageCore::LeaveGroup(JobSlot slot) {
  const Job& job = jobs[slot];
  Group& group = groups[job.group];
  if (group.keyed) {
    (job.newer == kNone ? group.newest : jobs[job.newer].older) = job.older;
    if (job.older != kNone) jobs[job.older].newer = job.newer;
  }
  if (--group.members != 0) return;
  group_by_key_.erase(job.group);
  groups.Give(job.group);
}

void LineageCore::AddEdge(JobSlot parent, JobSlot child, Relation relation) {
  const std::uint32_t number = edges.Take();
  Job& above = jobs[parent];
  Job& below = jobs[child];
  Edge& edge = edges[number];
  edge.parent = parent;
  edge.child = child;
  edge.relation = static_cast<std::uint32_t>(relation);
  edge.next_parent = below.parents;
  below.parents = number;
  edge.previous_child = kNoEdge;
  edge.next_child = above.children;
  if (above.children != kNoEdge) edges[above.children].previous_child = number;
  above.children = number;
  ++above.child_count;
}

void LineageCore::RemoveEdge(std::uint32_t number) {
  const Edge edge = edges[number];
  Job& above = jobs[edge.parent];
  --above.child_count;
  if (edge.previous_child == kNoEdge) {
    above.children = edge.next_child;
  } else {
    edges[edge.previous_child].next_child = edge.next_child;
  }
  if (edge.next_child != kNoEdge) edges[edge.next_child].previous_child = edge.previous_child;
  // A child has few parents.
  std::uint32_t* link = &jobs[edge.child].parents;
  while (*link != number) link = &edges[*link].next_parent;
  *link = edge.next_parent;
  edges.Give(number);
}

}  // namespace precedent::internal
