#include "src/kubernetes/targets.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "src/adapter/keys.h"
#include "src/kubernetes/fields.h"
#include "src/kubernetes/patch.h"

namespace precedent::kubernetes {
namespace {

using adapter::kKueueBoostKey;
using adapter::kKueueClassKey;
using adapter::kPolicyKey;
using adapter::kPriorityKey;
using adapter::kRequestedClassKey;
using adapter::kRequestedDeadlineKey;
using json::Value;
using Target = v1::AdapterOptions;

constexpr std::string_view kNever = "-nonpreempting";
constexpr std::size_t kMaxLabelValue = 63;

Value ClassHolder(const Reading& reading) {
  const std::string_view path = reading.kind->class_holder;
  return path.empty() ? Value() : reading.object.Find(path);
}

bool IsSystemClass(std::string_view name) { return name.substr(0, 7) == "system-"; }

bool StartsWithSystem(Value holder) {
  return IsSystemClass(TextOf(holder.Get("priorityClassName")));
}

const Kind* ControllerKind(const Reading& reading, bool* owned) {
  const Value owner = ControllerOf(reading.object.Get("metadata"));
  *owned = owner.present();
  if (!*owned) return nullptr;
  return FindKind(GroupOf(TextOf(owner.Get("apiVersion"))), TextOf(owner.Get("kind")));
}

// The changes of one object in the making.
class Change {
 public:
  Change(const adapter::Options& options, const Reading& reading, const v1::Decision& decision,
         std::vector<std::string>* warnings)
      : options_(options),
        reading_(reading),
        decision_(decision),
        warnings_(warnings),
        patch_(reading.object) {
    controller_ = ControllerKind(reading, &owned_);
    // Metadata of the object come first, and are those of a pod's template.
    EditOf(reading.object);
    for (const PodSet& set : reading.sets) EditOf(set.pod_template);
  }

  std::string Make() && {
    if (reading_.kind->Is(kCopy)) {
      ChangeWorkload();
    } else {
      if (options_.Writes(Target::PRIORITY_CLASS)) ChangeClasses();
      if (options_.Writes(Target::KUEUE_PRIORITY_CLASS)) ChangeLabel("");
      if (options_.Writes(Target::HYPERPOD)) ChangeLabel("-priority");
      Stamp();
      if (!ShadowOnly()) {
        Tier();
        ShortenDeadlines();
      }
    }
    for (const Edit& edit : edits_) patch_.SetMetadata(edit.owner, edit.labels, edit.annotations);
    return std::move(patch_).Finish();
  }

 private:
  // Metadata to set; all of one owner in one call.
  struct Edit {
    Value owner;
    Patch::Members labels;
    Patch::Members annotations;
  };

  // Two roles may share a template.
  Edit& EditOf(Value owner) {
    for (Edit& edit : edits_) {
      if (edit.owner.IsSamePlace(owner)) return edit;
    }
    edits_.push_back({owner, {}, {}});
    return edits_.back();
  }

  bool IsPod() const { return reading_.kind->kind == "Pod"; }
  // The first edit is of the object, which is a template only where it is a pod.
  std::size_t FirstTemplate() const { return IsPod() ? 0 : 1; }
  bool ShadowOnly() const { return options_.targets == 1u << Target::ANNOTATION; }

  static Value Annotation(const Edit& edit, std::string_view key) {
    return edit.owner.Get("metadata").Get("annotations").Get(key);
  }

  void Record(Edit& edit, std::string_view key, std::string text) {
    for (const auto& [other, value] : edit.annotations) {
      if (other == key) return;
    }
    if (!Annotation(edit, key).present()) edit.annotations.emplace_back(key, std::move(text));
  }

  // The class of all pods of the object: those of a gang agree.
  std::string WantedClass() const {
    bool never = decision_.never_preempt_others();
    for (std::size_t i = FirstTemplate(); i < edits_.size(); ++i) {
      never = never || TextOf(edits_[i].owner.Get("spec").Get("preemptionPolicy")) == "Never";
    }
    return absl::StrCat(decision_.priority_class(), never ? std::string(kNever) : "");
  }

  void ChangeClasses() {
    if (decision_.priority_class().empty()) return;
    if (IsSystemClass(decision_.priority_class())) {
      warnings_->push_back(absl::StrCat("class `", decision_.priority_class(),
                                        "` is not given to anything: Kubernetes keeps "
                                        "`system-` for itself"));
      return;
    }
    const std::string wanted = WantedClass();
    const Value holder = ClassHolder(reading_);
    if (holder.is_object() && TextOf(holder.Get("priorityClassName")) != wanted) {
      patch_.Set(holder, "priorityClassName", wanted);
      Record(edits_[0], kRequestedClassKey, reading_.draft.out.job.requested_class());
    }
    for (std::size_t i = FirstTemplate(); i < edits_.size(); ++i) {
      const Value spec = edits_[i].owner.Get("spec");
      if (!spec.is_object() || TextOf(spec.Get("priorityClassName")) == wanted) continue;
      patch_.Set(spec, "priorityClassName", wanted);
      patch_.Remove(spec, "priority");
      // In a template Never is the user's word, and agrees with the class.
      if (IsPod() || TextOf(spec.Get("preemptionPolicy")) != "Never") {
        patch_.Remove(spec, "preemptionPolicy");
      }
      Record(edits_[i], kRequestedClassKey, reading_.draft.out.job.requested_class());
    }
  }

  void ChangeLabel(std::string_view suffix) {
    // Kueue looks at what the user made, not at the pods that come of it.
    if (decision_.priority_class().empty() || (IsPod() && owned_)) return;
    std::string wanted = absl::StrCat(decision_.priority_class(), std::string(suffix));
    if (wanted.size() > kMaxLabelValue) return TooLong(wanted);
    Edit& edit = edits_[0];
    const Value label = edit.owner.Get("metadata").Get("labels").Get(kKueueClassKey);
    if (TextOf(label) == wanted) return;
    edit.labels.emplace_back(kKueueClassKey, std::move(wanted));
    Record(edit, kRequestedClassKey, reading_.draft.out.job.requested_class());
  }

  // Templates carry the decision to their pods. A stamp on a pod that nobody made
  // from such a template is a lie unless it says what was decided now.
  void Stamp() {
    const bool number = options_.Writes(Target::ANNOTATION);
    const bool stamp = number || options_.Writes(Target::PRIORITY_CLASS);
    const std::string priority = absl::StrCat(decision_.priority());
    const std::string policy =
        decision_.policy_fingerprint().empty() ? "fallback" : decision_.policy_fingerprint();
    for (std::size_t i = FirstTemplate(); i < edits_.size(); ++i) {
      Edit& edit = edits_[i];
      if (number || (stamp && !IsPod()) || Annotation(edit, kPriorityKey).present()) {
        edit.annotations.emplace_back(kPriorityKey, priority);
      }
      if ((stamp && !IsPod()) || Annotation(edit, kPolicyKey).present()) {
        edit.annotations.emplace_back(kPolicyKey, policy);
      }
    }
  }

  void Tier() {
    const std::string& tier = decision_.priority_class();
    if (options_.tier_label.empty() || tier.empty()) return;
    if (tier.size() > kMaxLabelValue) return TooLong(tier);
    for (std::size_t i = FirstTemplate(); i < edits_.size(); ++i) {
      edits_[i].labels.emplace_back(options_.tier_label, tier);
    }
  }

  void TooLong(const std::string& value) {
    warnings_->push_back(absl::StrCat("no label for class `", value, "`: it has more than ",
                                      kMaxLabelValue, " characters"));
  }

  void ShortenDeadlines() {
    const std::int64_t limit = decision_.limit_runtime_seconds();
    const bool server =
        reading_.kind->Is(kServer) || (controller_ != nullptr && controller_->Is(kServer));
    if (limit <= 0 || server) return;
    bool any = false;
    // A spec that is not there is not made for the limit: the next pass would find a
    // place for everything else in it.
    if (IsPod()) {
      any = reading_.object.Get("spec").is_object() && Shorten(reading_.object.Get("spec"), limit);
    } else if (const std::string_view path = reading_.kind->deadline; !path.empty()) {
      const std::string_view holder = path.substr(0, path.rfind('.'));
      const std::size_t dot = holder.rfind('.');
      const Value above =
          reading_.object.Find(dot == std::string_view::npos ? holder : holder.substr(0, dot));
      any = above.is_object() && Shorten(reading_.object.Find(holder), limit);
    } else {
      for (const PodSet& set : reading_.sets) {
        if (set.job_spec.present()) any = Shorten(set.job_spec, limit) || any;
      }
    }
    if (!any) return;
    std::string asked = reading_.deadline.has_value() ? absl::StrCat(*reading_.deadline) : "";
    for (std::size_t i = FirstTemplate(); i < edits_.size(); ++i) {
      Record(edits_[i], kRequestedDeadlineKey, asked);
    }
  }

  bool Shorten(Value holder, std::int64_t limit) {
    if (holder.present() && !holder.is_object()) return false;
    const std::optional<std::int64_t> now =
        holder.Get("activeDeadlineSeconds").Integer(0, std::numeric_limits<std::int64_t>::max());
    if (now.has_value() && *now <= limit) return false;
    patch_.Set(holder, "activeDeadlineSeconds", limit);
    return true;
  }

  // Kueue adds the boost to the Workload's own priority.
  void ChangeWorkload() {
    Edit& edit = edits_[0];
    if (options_.Writes(Target::ANNOTATION)) {
      edit.annotations.emplace_back(kPriorityKey, absl::StrCat(decision_.priority()));
    }
    if (!options_.Writes(Target::KUEUE_BOOST)) return;
    constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();
    const std::int64_t own =
        reading_.object.Get("spec").Get("priority").Integer(-kMax - 1, kMax).value_or(0);
    edit.annotations.emplace_back(kKueueBoostKey,
                                  absl::StrCat(decision_.preemption_priority() - own));
  }

  const adapter::Options& options_;
  const Reading& reading_;
  const v1::Decision& decision_;
  std::vector<std::string>* warnings_;
  Patch patch_;
  absl::InlinedVector<Edit, 2> edits_;
  bool owned_ = false;
  const Kind* controller_ = nullptr;
};

}  // namespace

bool HasSystemClass(const Reading& reading) {
  bool system = StartsWithSystem(ClassHolder(reading));
  for (const PodSet& set : reading.sets) {
    system = system || StartsWithSystem(set.pod_template.Get("spec"));
  }
  return system;
}

bool IsDecided(const adapter::Options& options, const Reading& reading, std::string_view user) {
  bool owned = false;
  ControllerKind(reading, &owned);
  if (!owned || !options.IsTrustedController(user)) return false;
  for (const PodSet& set : reading.sets) {
    const Value annotations = set.pod_template.Get("metadata").Get("annotations");
    if (TextOf(annotations.Get(kPriorityKey)).empty()) return false;
    if (TextOf(annotations.Get(kPolicyKey)).empty()) return false;
    // A template that was decided in shadow mode left the class open.
    if (options.Writes(Target::PRIORITY_CLASS) &&
        TextOf(set.pod_template.Get("spec").Get("priorityClassName")).empty()) {
      return false;
    }
  }
  return !reading.sets.empty();
}

std::string MakePatch(const adapter::Options& options, const Reading& reading,
                      const v1::Decision& decision, std::vector<std::string>* warnings) {
  return Change(options, reading, decision, warnings).Make();
}

}  // namespace precedent::kubernetes
