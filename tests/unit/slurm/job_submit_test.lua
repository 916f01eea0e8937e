-- job_submit_test.lua JOB_SUBMIT MODULE_DIR: what the script does with a job_desc, without
-- Slurm.
local script, module_dir = arg[1], arg[2]
local policy = os.tmpname()

local function write(text)
  local file = assert(io.open(policy, "w"))
  file:write(text)
  file:close()
end

local function rules(base)
  return string.format([[
    stages { rules { id: "base" set: %d }
             rules { id: "gpus" when { gpu_count { above: 4 } } add: -50 }
             rules { id: "production" when { environment { in: "production" } } add: 300 }
             rules { id: "failures" add_scaled { of: FAILURE_COUNT points: -10 } }
             rules { id: "short" when { max_runtime_seconds { at_most: 1500 } } add: 7 }
             rules { id: "main" when { queue { in: "main" } } add: 1 }
             rules { id: "bob" when { user { in: "bob" } } add: 1 }
             rules { id: "banned" when { team { in: "banned" } } deny: "banned is out of budget" } }
    bounds { min: 0 max: 9999 }]], base - 1)
end

local logged, told
slurm = {
  SUCCESS = 0, ERROR = -1, ESLURM_ACCESS_DENIED = 2002, jobs = {},
  log_user = function(f, ...) told = string.format(f, ...) end,
  log_info = function(f, ...) logged = string.format(f, ...) end,
  log_error = function(f, ...) logged = string.format(f, ...) end,
}

local function load_script(dir)
  local file = assert(io.open(script))
  local text = file:read("*a"):gsub("@LUA_DIR@", dir):gsub("@POLICY@", policy)
  file:close()
  assert(loadstring(text))()
end

local function desc(fields)
  local d = {priority = 4294967294, user_id = 7, user_name = "ann", name = "train",
             account = "vision", requeue = 65534, min_nodes = 4294967294}
  for key, value in pairs(fields or {}) do d[key] = value end
  return d
end

local parts = {
  main = {flag_default = 1, default_time = 4294967294, max_time = 4294967295},
  short = {flag_default = 0, default_time = 4294967294, max_time = 20},
  low = {flag_default = 0, default_time = 25, max_time = 600},
}
local function submit(fields, uid)
  local d = desc(fields)
  return d, slurm_job_submit(d, parts, uid or 7)
end

local function check(what, seen, wanted)
  if seen ~= wanted then
    error(what .. ": " .. tostring(seen) .. ", wanted " .. tostring(wanted), 2)
  end
end

-- Without the module every job has the fallback, and nothing is refused.
write(rules(500))
load_script("/nowhere")
check("no module", submit().priority, 500)
package.loaded.precedent = nil
load_script(module_dir)

check("plain", submit().priority, 500)
check("gpus", submit({tres_per_node = "gres:gpu:2", min_nodes = 4}).priority, 450)
check("gpus beside another kind",
      submit({tres_per_job = "gres:shard:1", tres_per_node = "gres:gpu:8"}).priority, 450)
check("gpus of tasks", submit({tres_per_task = "gres:gpu:1", num_tasks = 5}).priority, 450)
check("one user", submit({user_id = 9, user_name = "bob"}).priority, 501)
check("another again", submit().priority, 500)
check("limit", submit({time_limit = 25}).priority, 507)
check("limit of the partition", submit({partition = "short"}).priority, 506)
check("its default before its most", submit({partition = "low"}).priority, 506)
check("the job's own before that", submit({partition = "low", time_limit = 60}).priority, 499)
check("the first of a list", submit({partition = "short,main"}).priority, 506)
check("the first of a list", submit({partition = "main,short"}).priority, 499)
check("unknown partition", submit({partition = "none"}).priority, 499)
check("claim", submit({comment = "precedent.dev/environment=production"}).priority, 800)
check("held", submit({priority = 0}).priority, 0)
check("bad gpus", submit({tres_per_job = "gpu:x:y"}).priority, 500)
check("bad gpus are logged", logged:find("is no list of GPUs", 1, true) ~= nil, true)
local d, code = submit({account = "banned"})
check("denied", code, 2002)
check("denial", told, "banned is out of budget")
check("admin_comment of a user",
      submit({admin_comment = "environment=production precedent: 1 failures=0"}).priority, 500)
check("admin_comment of root", submit({admin_comment = "environment=production"}, 0).priority, 800)
check("note", submit().admin_comment, "precedent: 500 gpus=0 rules=base,failures,main")

-- Resubmissions: the latest job of the name counts, with what it remembers. Slurm gives
-- another table when there is another job.
local asked = 0
local function add_job(fields)
  local jobs = {}
  for key, job in pairs(slurm.jobs) do jobs[key] = job end
  fields.user_id, fields.account = fields.user_id or 7, "vision"
  jobs[tostring(fields.job_id)] = setmetatable({}, {__index = function(_, field)
    asked = asked + 1
    return fields[field]
  end})
  slurm.jobs = jobs
  return fields
end
local first = add_job({job_id = 1, name = "train", job_state = 1})
check("runs", submit().priority, 500)
first.job_state = 5
check("failed once", submit().priority, 490)
add_job({job_id = 20, name = "train", job_state = 5,
         admin_comment = "precedent: 490 gpus=0 failures=1 rules=base"})
check("failed twice", submit().priority, 480)
check("another user", submit({user_id = 8}).priority, 500)
check("another name", submit({name = "other"}).priority, 500)
local third = add_job({job_id = 3, name = "train", job_state = 3})  -- ids have no order in it
check("not the latest", submit().priority, 480)
add_job({job_id = 21, name = "train", job_state = 3,
         admin_comment = "precedent: 480 gpus=0 failures=2 rules=base"})
check("completed", submit().priority, 500)
-- A change of name is seen.
add_job({job_id = 22, name = "train", job_state = 5})
check("failed after it", submit().priority, 490)
third.name = "elsewhere"
third.job_state = 6
slurm_job_modify({name = "elsewhere", priority = 4294967294}, {job_id = 3}, {}, 0)
check("renamed", submit({name = "elsewhere"}).priority, 490)
-- What is known is not asked for again, however many jobs there are.
for id = 100, 400 do add_job({job_id = id, name = "job" .. id, job_state = 0}) end
submit()
asked = 0
add_job({job_id = 500, name = "train", job_state = 0})
check("latest runs", submit().priority, 500)
check("fields asked for", asked <= 10, true)
slurm.jobs = {}
check("all are gone", submit().priority, 500)

-- Changes.
local job = {job_id = 9, name = "train", account = "vision", user_name = "ann",
             admin_comment = "precedent: 500 gpus=8 rules=base", priority = 450}
local function modify(change, uid)
  change.priority = change.priority or 4294967294
  return slurm_job_modify(change, job, {}, uid or 7)
end
check("name", modify({name = "other"}), 0)
check("claim later", modify({comment = "environment=production"}), 2002)
check("claim in the name", modify({name = "environment=production"}), 2002)
check("into a refused account", modify({account = "banned"}), 2002)
check("priority", modify({priority = 900}), 2002)
check("hold", modify({priority = 0}), 0)
check("release", modify({priority = 4294967295}), 0)
check("gpus", modify({tres_per_node = "gres:gpu:1"}), 2002)
check("record", modify({admin_comment = "precedent: 1 gpus=0"}), 2002)
check("root", modify({priority = 900, comment = "environment=production"}, 0), 0)

-- The module takes whatever it is given.
local precedent = require("precedent")
check("no table", precedent.derive(), nil)
check("no table", select(2, precedent.derive(1)), "derive: wants a table")
check("no path", precedent.open(), nil)
check("odd members", precedent.derive({[1] = 2, name = {}, account = 3 / 0}).priority, 499)
check("not UTF-8", precedent.derive({account = "\255\0x"}).priority, 499)

-- Another script is another state; the policy stays. A broken file changes nothing.
package.loaded.precedent = nil
load_script(module_dir)
local function wait()  -- the file is looked at once a second
  os.execute("sleep 1.1")
end
write("stages { rules {")
wait()
check("broken", submit().priority, 500)
check("broken is logged", logged:find(policy, 1, true) ~= nil, true)
write(rules(600))
wait()
check("swapped", submit().priority, 600)
os.remove(policy)
wait()
check("removed", submit().priority, 600)
print("passed")
