-- Gives each job the priority that a precedent policy derives for it. Lies beside slurm.conf.
-- README.md says what to set in slurm.conf, and what happens when something fails.

-- What this cluster sets.
local settings = {
  module = "@LUA_DIR@/?.so",                     -- where precedent.so is
  policy = "@POLICY@",                           -- followed without a restart
  fallback = 500,                                -- where no policy could be loaded
  preemptible_partition = nil,                   -- for who consents and names no partition
  privileged = {[0] = true},                     -- user ids that may change anything
}

package.cpath = settings.module .. ";" .. package.cpath
local loaded, precedent = pcall(require, "precedent")
if not loaded then
  slurm.log_error("precedent: %s", tostring(precedent))
  precedent = nil
else
  local _, said = precedent.open(settings.policy, settings.fallback)
  if said ~= "" then slurm.log_info("precedent: %s", said) end
end

local NO_VAL, INFINITE = 4294967294, 4294967295
local NO_VAL16 = 65534
local FAILED = {[5] = true, [6] = true, [11] = true}  -- failed, out of time, out of memory
local COMPLETED = 3

local texts = {"name", "account", "partition", "qos", "comment"}
local sizes = {"tres_per_job", "tres_per_node", "tres_per_socket", "tres_per_task"}
local counts = {"num_tasks", "ntasks_per_node", "sockets_per_node"}

-- The latest job of each chain, that is of each user, account and name. Slurm makes another
-- slurm.jobs when its jobs change, at most once a second, with all of them: only those that
-- are new in it are asked for anything. Jobs themselves are not kept: Slurm frees them.
local latest, known, known_count, indexed = {}, {}, 0, nil

local function chain(user, account, name)
  return user .. "\0" .. (account or "") .. "\0" .. (name or "")
end

local function forget()
  latest, known, known_count, indexed = {}, {}, 0, nil
end

local function index_jobs()
  local jobs = slurm.jobs
  if jobs == indexed then return end
  local count, old = 0, 0
  for key, job in pairs(jobs) do
    count = count + 1
    if known[key] then
      old = old + 1
    else
      known[key] = true
      local of = chain(job.user_id, job.account, job.name)
      local id = job.job_id
      if id > (latest[of] or 0) then latest[of] = id end
    end
  end
  indexed = jobs
  known_count = known_count + count - old
  if known_count > 2 * count + 1000 then  -- most are gone
    forget()
    index_jobs()
  end
end

-- Failures of the latest job of the same user, account and name: its own and those that its
-- record has. One that completed ends the chain. slurm.jobs has what MinJobAge keeps.
local function failures_before(user, described)
  index_jobs()
  local id = latest[chain(user, described.account, described.name)]
  local job = id and slurm.jobs[tostring(id)]
  if not job then return 0 end
  local state = job.job_state % 256
  if state == COMPLETED then return 0 end
  return precedent.failures(job.admin_comment) + (FAILED[state] and 1 or 0)
end

local function default_partition(parts)
  for name, part in pairs(parts or {}) do
    if part.flag_default == 1 then return name end
  end
  return nil
end

local function derive(job)
  local decision, why = precedent.derive(job)
  if not decision then return nil, why end
  if decision.log then slurm.log_info("precedent: %s", decision.log) end
  if decision.warning then slurm.log_info("precedent: %s", decision.warning) end
  return decision
end

-- Slurm looks a user's name up anew each time.
local names = {}
local function user_name(d)
  local name = names[d.user_id]
  if name == nil then
    name = d.user_name
    names[d.user_id] = name
  end
  return name
end

local function set(value)
  return value ~= nil and value ~= NO_VAL and value ~= INFINITE and value ~= NO_VAL16
end

-- Minutes, as Slurm will fill them in where the job names none.
local function time_limit(d, parts, partition)
  if set(d.time_limit) then return d.time_limit end
  local part = parts and partition and parts[partition:match("^[^,]*")]  -- of a list the first
  if not part then return nil end
  return set(part.default_time) and part.default_time or part.max_time
end

-- Each field that is read costs a submission a microsecond.
local function describe(d, parts, uid)
  local job = {
    user_name = user_name(d), account = d.account or d.default_account, name = d.name,
    partition = d.partition or default_partition(parts), qos = d.qos or d.default_qos,
    comment = d.comment, min_nodes = d.min_nodes, requeue = d.requeue,
    submit_time = os.time(), tres_per_job = d.tres_per_job,
  }
  job.time_limit = time_limit(d, parts, job.partition)
  if not (job.tres_per_job or ""):find("gpu", 1, true) then
    for _, field in ipairs(sizes) do job[field] = d[field] end
    if job.tres_per_socket or job.tres_per_task then
      for _, field in ipairs(counts) do job[field] = d[field] end
    end
  end
  -- Whoever submits may write one; it counts only from those who may change it later.
  if settings.privileged[uid] and d.admin_comment then
    job.admin_comment = d.admin_comment:gsub("precedent:.*", "")
  end
  job.failures = failures_before(d.user_id, job)
  return job
end

local function submit(d, parts, uid)
  if not precedent then error("the module is not loaded", 0) end
  local job = describe(d, parts, uid)
  local decision, why = derive(job)
  if decision and decision.preemptible and d.partition == nil and settings.preemptible_partition
  then
    d.partition = settings.preemptible_partition
    job.partition = d.partition
    job.time_limit = time_limit(d, parts, job.partition)
    decision, why = derive(job)
  end
  if not decision then
    slurm.log_error("precedent: %s; priority %d", tostring(why), settings.fallback)
    if d.priority ~= 0 then d.priority = settings.fallback end
    return slurm.SUCCESS
  end
  if decision.denial then
    slurm.log_user("%s", decision.denial)
    return slurm.ESLURM_ACCESS_DENIED
  end
  -- 0 is a job that its user holds; one of ours would hold it too.
  if d.priority ~= 0 then d.priority = math.max(1, decision.priority) end
  d.admin_comment = decision.note
  return slurm.SUCCESS
end

-- A job as it is, and as it would be after the change.
local function before_and_after(d, job)
  local before = {admin_comment = job.admin_comment, user_name = job.user_name,
                  submit_time = job.submit_time, restart_cnt = job.restart_cnt,
                  time_limit = job.time_limit, min_nodes = job.min_nodes, requeue = job.requeue}
  local after = {}
  for _, field in ipairs(texts) do before[field] = job[field] end
  for key, value in pairs(before) do after[key] = value end
  for _, field in ipairs(texts) do
    if d[field] ~= nil then after[field] = d[field] end
  end
  if set(d.time_limit) then after.time_limit = d.time_limit end
  if set(d.requeue) then after.requeue = d.requeue end
  return before, after
end

-- Whoever is not privileged may change what the policy does not look at, hold and release.
local function modify(d, job, uid)
  if settings.privileged[uid] then return slurm.SUCCESS end
  if not precedent then error("the module is not loaded", 0) end
  if d.admin_comment ~= nil then return slurm.ESLURM_ACCESS_DENIED end
  if set(d.priority) and d.priority ~= 0 then return slurm.ESLURM_ACCESS_DENIED end
  for _, field in ipairs(sizes) do
    if d[field] ~= nil then return slurm.ESLURM_ACCESS_DENIED end
  end
  if set(d.min_nodes) or set(d.num_tasks) then return slurm.ESLURM_ACCESS_DENIED end
  local was, is = before_and_after(d, job)
  local old, why = derive(was)
  local new = old and derive(is)
  if not new then
    slurm.log_error("precedent: change of job %s refused: %s", tostring(job.job_id), tostring(why))
    return slurm.ESLURM_ACCESS_DENIED
  end
  if new.denial or new.priority ~= old.priority then
    slurm.log_user("%s", "the policy gives the job that this would be another priority: "
                         .. "submit it as a new one")
    return slurm.ESLURM_ACCESS_DENIED
  end
  return slurm.SUCCESS
end

function slurm_job_submit(d, parts, uid)
  local ok, result = pcall(submit, d, parts, uid)
  if ok then return result end
  slurm.log_error("precedent: %s; priority %d", tostring(result), settings.fallback)
  if d.priority ~= 0 then d.priority = settings.fallback end
  return slurm.SUCCESS
end

-- Fails closed: who waits keeps the priority that there is.
function slurm_job_modify(d, job, parts, uid)
  if d.name ~= nil or d.account ~= nil then forget() end  -- it goes to another chain
  local ok, result = pcall(modify, d, job, uid)
  if ok then return result end
  slurm.log_error("precedent: change refused: %s", tostring(result))
  return slurm.ESLURM_ACCESS_DENIED
end

return slurm.SUCCESS
