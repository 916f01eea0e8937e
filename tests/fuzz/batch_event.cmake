precedent_fuzzer(NAME batch_event SOURCES batch_event.cc
  LIBRARIES precedent_aws precedent_json)
