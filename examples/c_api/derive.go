// The priority of jobs that are told as JSON, such as pods, in Go.
//
//	go build derive.go && ./derive POLICY FILE...
package main

// #cgo pkg-config: precedent-c
// #include <stdlib.h>
// #include "precedent/c.h"
import "C"

import (
	"fmt"
	"os"
	"time"
	"unsafe"
)

func text(t C.precedent_text) string { return C.GoStringN(t.data, C.int(t.size)) }

// A status and the text that goes with it, which it frees; nil for PRECEDENT_OK.
func failure(status C.precedent_status, text *C.char) error {
	defer C.precedent_free(text)
	switch {
	case status == C.PRECEDENT_OK:
		return nil
	case text != nil:
		return fmt.Errorf("%s", C.GoString(text))
	}
	return fmt.Errorf("%s", C.GoString(C.precedent_status_text(C.int(status))))
}

func derive(policy *C.precedent_policy, adapter *C.precedent_adapter, json []byte) (string, error) {
	var described *C.precedent_description
	var problem *C.char
	bytes := (*C.char)(unsafe.Pointer(&append(json, 0)[0]))
	status := C.precedent_describe_json(adapter, bytes, C.size_t(len(json)), &described, &problem)
	if err := failure(status, problem); err != nil {
		return "", err
	}
	defer C.precedent_description_close(described)
	info := C.precedent_description_info{struct_size: C.sizeof_precedent_description_info}
	decision := C.precedent_decision{struct_size: C.sizeof_precedent_decision}
	C.precedent_description_describe(described, &info)
	job := C.precedent_description_job(described)
	now := C.int64_t(time.Now().UnixMicro())
	if err := failure(C.precedent_evaluate(policy, job, now, &decision), nil); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s: priority %d, class `%s`", text(info.name), decision.priority,
		text(decision.priority_class)), nil
}

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: derive POLICY FILE...")
		os.Exit(2)
	}
	var policy *C.precedent_policy
	var adapter *C.precedent_adapter
	var problem *C.char
	path := C.CString(os.Args[1])
	defer C.free(unsafe.Pointer(path))
	if err := failure(C.precedent_policy_load_file(path, &policy, &problem), problem); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if err := failure(C.precedent_adapter_open(nil, 0, &adapter, &problem), problem); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	failed := 0
	for _, name := range os.Args[2:] {
		json, err := os.ReadFile(name)
		line := ""
		if err == nil {
			line, err = derive(policy, adapter, json)
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
			failed = 1
			continue
		}
		fmt.Println(line)
	}
	C.precedent_adapter_close(adapter)
	C.precedent_policy_close(policy)
	os.Exit(failed)
}
