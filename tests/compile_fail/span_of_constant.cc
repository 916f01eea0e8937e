// A span cannot take the const off what it views.
#include <vector>

#include "precedent/span.h"

int Use(const std::vector<int>& numbers) {
#ifdef BAD
  precedent::Span<int> span = numbers;  // ERROR: conversion from|no viable conversion
#else
  precedent::Span<const int> span = numbers;
#endif
  return span[0];
}
