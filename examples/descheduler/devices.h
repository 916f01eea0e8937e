// Which devices pods have, where nobody says.
#ifndef PRECEDENT_EXAMPLES_DESCHEDULER_DEVICES_H_
#define PRECEDENT_EXAMPLES_DESCHEDULER_DEVICES_H_

#include "precedent/time.h"
#include "precedent/v1/cluster.pb.h"

namespace precedent::descheduler {

// Kubernetes does not tell which devices a pod has, so the planner assumes an assignment, and
// another one when a pod has gone: a pod that stays could be taken to have the devices that
// were freed for somebody, whose hold would end. So on nodes with a hold, pods that stay get
// devices beside what is held, and victims those that they free. Nothing on nodes where that
// is not possible: somebody took the room. Linear in the pods of such nodes, times devices.
void AssignDevices(const v1::PlannerState& planner, TimePoint now, v1::Cluster* cluster);

}  // namespace precedent::descheduler

#endif  // PRECEDENT_EXAMPLES_DESCHEDULER_DEVICES_H_
