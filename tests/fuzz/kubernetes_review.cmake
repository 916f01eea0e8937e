precedent_fuzzer(NAME kubernetes_review
  SOURCES kubernetes_review.cc ../unit/kubernetes/admission/json_tree.cc
  LIBRARIES precedent_kubernetes precedent_compiler simdjson::simdjson)
