#!/usr/bin/env python3
"""The priority of jobs that are told as JSON, by ctypes.

    derive.py POLICY FILE...
"""
import ctypes
import sys
import time
from ctypes import POINTER, byref, c_bool, c_char_p, c_int32, c_int64, c_size_t, c_uint8
from ctypes import c_uint32, c_uint64, c_void_p


class Text(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("data", c_void_p)]

    def __str__(self):
        return ctypes.string_at(self.data, self.size).decode() if self.size else ""


class Sized(ctypes.Structure):
    """A struct that says how much of it this program knows."""

    def __init__(self):
        super().__init__(struct_size=ctypes.sizeof(self))


class Decision(Sized):
    _fields_ = [("struct_size", c_uint64), ("priority", c_int32), ("preemption_priority", c_int32),
                ("reason", c_uint8), ("verdict", c_uint8), ("preemptible", c_bool),
                ("never_preempt_others", c_bool), ("limit_runtime_seconds", c_int32),
                ("ignored_claims", c_uint32), ("priority_class", Text),
                ("share_identifier", Text), ("denial", Text), ("valid_until", c_int64),
                ("policy_fingerprint", Text)]


class DescriptionInfo(Sized):
    _fields_ = [("struct_size", c_uint64), ("name", Text)]  # what is not used may be left out


def load():
    library = ctypes.CDLL("libprecedent.so.0.1")
    handle, text = POINTER(c_void_p), POINTER(c_void_p)
    library.precedent_status_text.restype = c_char_p
    library.precedent_free.argtypes = [c_void_p]
    library.precedent_policy_load_file.argtypes = [c_char_p, handle, text]
    library.precedent_adapter_open.argtypes = [c_char_p, c_size_t, handle, text]
    library.precedent_describe_json.argtypes = [c_void_p, c_char_p, c_size_t, handle, text]
    library.precedent_description_describe.argtypes = [c_void_p, POINTER(DescriptionInfo)]
    library.precedent_description_job.argtypes = [c_void_p]
    library.precedent_description_job.restype = c_void_p
    library.precedent_evaluate.argtypes = [c_void_p, c_void_p, c_int64, POINTER(Decision)]
    for close in ("policy", "adapter", "description"):
        getattr(library, f"precedent_{close}_close").argtypes = [c_void_p]
    return library


def make(library, function, *arguments):
    """The handle that a function makes, or a ValueError with what it says."""
    handle, text = c_void_p(), c_void_p()
    status = function(*arguments, byref(handle), byref(text))
    said = ctypes.string_at(text.value).decode() if text.value else ""
    library.precedent_free(text)
    if status != 0:
        raise ValueError(said or library.precedent_status_text(status).decode())
    return handle


def derive(library, policy, adapter, name):
    with open(name, "rb") as file:
        json = file.read()
    described = make(library, library.precedent_describe_json, adapter, json, len(json))
    info, decision = DescriptionInfo(), Decision()
    library.precedent_description_describe(described, byref(info))
    status = library.precedent_evaluate(policy, library.precedent_description_job(described),
                                        time.time_ns() // 1000, byref(decision))
    line = f"{info.name}: priority {decision.priority}, class `{decision.priority_class}`"
    library.precedent_description_close(described)
    if status != 0:
        raise ValueError(library.precedent_status_text(status).decode())
    return line


def main():
    if len(sys.argv) < 3:
        sys.exit("usage: derive.py POLICY FILE...")
    library = load()
    try:
        policy = make(library, library.precedent_policy_load_file, sys.argv[1].encode())
        adapter = make(library, library.precedent_adapter_open, None, 0)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    failed = 0
    for name in sys.argv[2:]:
        try:
            print(derive(library, policy, adapter, name))
        except (OSError, ValueError) as error:
            print(f"{name}: {error}", file=sys.stderr)
            failed = 1
    library.precedent_adapter_close(adapter)
    library.precedent_policy_close(policy)
    return failed


if __name__ == "__main__":
    sys.exit(main())
