precedent_fuzzer(NAME kubernetes_object
  SOURCES kubernetes_object.cc
  LIBRARIES precedent_kubernetes)
