# What batch_event and batch_request do not search: the other documents.
precedent_fuzzer(NAME batch_document SOURCES batch_document.cc
  LIBRARIES precedent_aws LONG)
