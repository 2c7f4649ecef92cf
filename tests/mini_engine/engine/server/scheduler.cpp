#include "scheduler.h"

#include <algorithm>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <thread>

static const size_t CHECKPOINT_STEP = 64;
static const size_t CHECKPOINTS_MAX = 8;
static const size_t STEPS_PER_TOKEN = 20000;
static const size_t COPY_COST       = 8; // of saving a state over another one, in tokens

// As much work as a model of some size has with so many tokens: a fixed amount, so that processor time can be compared.
static void compute(size_t tokens) {
    static volatile uint64_t sink;
    uint64_t                 state = sink;
    for (size_t i = 0; i < tokens * STEPS_PER_TOKEN; i++) {
        state = mini_step(state, (int) i);
    }
    sink = state;
}

static double now_ms() {
    using namespace std::chrono;
    return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

void log_line(const char * format, ...) {
    static std::mutex mutex;
    va_list           arguments;
    va_start(arguments, format);
    std::lock_guard<std::mutex> lock(mutex);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    fflush(stderr);
    va_end(arguments);
}

Scheduler::Scheduler(const mini_model & model, const Settings & settings) : model_(model), settings_(settings) {
    slots_.resize((size_t) settings.slots);
    for (size_t i = 0; i < slots_.size(); i++) {
        slots_[i].id = (int) i;
    }
}

void Scheduler::submit(const std::shared_ptr<Task> & task) {
    std::lock_guard<std::mutex> lock(mutex_);
    waiting_.push_back(task);
    submitted_.notify_one();
}

void Scheduler::run() {
    for (;;) {
        {
            std::unique_lock<std::mutex> lock(mutex_);
            start_waiting();
            const bool idle = std::none_of(slots_.begin(), slots_.end(), [](const Slot & s) { return s.task != nullptr; });
            if (idle) {
                submitted_.wait(lock);
                continue;
            }
        }
        step();
    }
}

void Scheduler::start_waiting() {
    for (size_t i = 0; i < waiting_.size();) {
        const std::shared_ptr<Task> task = waiting_[i];
        Slot *                      free = nullptr;
        for (Slot & slot : slots_) {
            if (slot.task == nullptr && (task->wanted_slot < 0 || task->wanted_slot == slot.id)) {
                free = free ? free : &slot;
            }
        }
        if (free == nullptr) {
            i++;
            continue;
        }
        waiting_.erase(waiting_.begin() + (long) i);
        start(*free, task);
    }
}

void Scheduler::start(Slot & slot, const std::shared_ptr<Task> & task) {
    size_t common = 0;
    if (task->cache_prompt) {
        while (common < slot.tokens.size() && common + 1 < task->prompt.size() &&
               slot.tokens[common] == task->prompt[common]) {
            common++;
        }
    }
    slot.restored = 0;
    if (model_.recurrent && common < slot.tokens.size()) {
        // what came after cannot be taken back: go on from the newest saved state that still fits
        while (!slot.checkpoints.empty() && slot.checkpoints.back().position > common) {
            slot.checkpoints.pop_back();
        }
        common = slot.checkpoints.empty() ? 0 : slot.checkpoints.back().position;
        slot.restored = common;
        if (common > 0) {
            log_line("slot %d: restored context checkpoint (pos = %zu)", slot.id, common);
        }
    }
    if (common == 0) {
        slot.checkpoints.clear();
    }
    slot.tokens.resize(common);
    slot.states.resize(common);
    slot.task         = task;
    slot.began        = now_ms();
    slot.last_id_task = next_task_++;
    {
        std::lock_guard<std::mutex> lock(task->mutex);
        task->slot   = slot.id;
        task->cached = (int) common;
    }
    log_line("slot %d: task %d, %zu prompt tokens, %zu cached", slot.id, slot.last_id_task, task->prompt.size(), common);
    if (slot.restored > 0) {
        save_checkpoint(slot);
    }
}

void Scheduler::save_checkpoint(Slot & slot) {
    const size_t position = slot.tokens.size();
    if (!slot.checkpoints.empty() && slot.checkpoints.back().position == position) {
        log_line("slot %d: superseding context checkpoint (pos = %zu)", slot.id, position);
        slot.checkpoints.pop_back();
        compute(COPY_COST);
    }
    if (slot.checkpoints.size() == CHECKPOINTS_MAX) {
        slot.checkpoints.erase(slot.checkpoints.begin());
    }
    slot.checkpoints.push_back({ position, slot.states.back() });
    log_line("slot %d: created context checkpoint %zu of %zu (pos = %zu)", slot.id, slot.checkpoints.size(),
             CHECKPOINTS_MAX, position);
}

void Scheduler::step() {
    std::vector<Slot *>          ready, reading;
    size_t                       used = 0;
    std::unique_lock<std::mutex> lock(mutex_);
    for (Slot & slot : slots_) {
        if (slot.task != nullptr && slot.tokens.size() >= slot.task->prompt.size()) {
            ready.push_back(&slot);
            used++;
        }
    }
    const size_t room = (size_t) settings_.batch;
    for (size_t i = 0; i < slots_.size() && used < room; i++) {
        Slot & slot = slots_[i];
        if (slot.task == nullptr || slot.tokens.size() >= slot.task->prompt.size()) {
            continue;
        }
        reading.push_back(&slot);
        while (slot.tokens.size() < slot.task->prompt.size() && used < room) {
            const int      token = slot.task->prompt[slot.tokens.size()];
            const uint64_t state = slot.states.empty() ? model_.seed : slot.states.back();
            slot.states.push_back(mini_step(state, token));
            slot.tokens.push_back(token);
            used++;
            if (model_.recurrent && slot.tokens.size() % CHECKPOINT_STEP == 0) {
                save_checkpoint(slot);
            }
        }
        if (slot.tokens.size() >= slot.task->prompt.size()) {
            ready.push_back(&slot);
        }
    }
    lock.unlock();
    compute(used);
    lock.lock();
    for (Slot * slot : reading) {
        std::lock_guard<std::mutex> task_lock(slot->task->mutex);
        slot->task->processed = (int) slot->tokens.size();
        slot->task->changed.notify_all();
    }
    for (Slot * slot : ready) {
        generate(*slot);
    }
}

void Scheduler::generate(Slot & slot) {
    Task &         task  = *slot.task;
    const uint64_t state = slot.states.back();
    const int      id    = mini_candidate(state, 0);
    bool           done  = false;
    {
        std::lock_guard<std::mutex> lock(task.mutex);
        const double                now = now_ms();
        if (task.ids.empty()) {
            slot.prompt_ended = now;
            task.prompt_ms    = now - slot.began;
        }
        if (task.n_predict > 0) {
            task.ids.push_back(id);
            std::vector<Candidate> candidates;
            for (int rank = 0; rank < task.n_probs; rank++) {
                candidates.push_back({ mini_candidate(state, rank), mini_logprob(state, rank) });
            }
            task.candidates.push_back(candidates);
        }
        task.predicted_ms = now - slot.prompt_ended;
        done = (int) task.ids.size() >= task.n_predict || task.abandoned || (int) slot.tokens.size() >= settings_.context;
        task.done = done;
        task.changed.notify_all();
    }
    if (done) {
        finish(slot);
    } else {
        slot.states.push_back(mini_step(state, id));
        slot.tokens.push_back(id);
    }
}

void Scheduler::finish(Slot & slot) {
    log_line("slot %d: task %d done, %zu tokens in the slot", slot.id, slot.last_id_task, slot.tokens.size());
    slot.task = nullptr;
}

std::string Scheduler::slots_json() {
    std::lock_guard<std::mutex> lock(mutex_);
    std::string                 out = "[";
    for (const Slot & slot : slots_) {
        out += (slot.id ? "," : "");
        out += "{\"id\":" + std::to_string(slot.id) + ",\"n_ctx\":" + std::to_string(settings_.context / settings_.slots) +
               ",\"speculative\":false,\"is_processing\":" + (slot.task ? "true" : "false") +
               ",\"id_task\":" + std::to_string(slot.last_id_task) +
               ",\"n_prompt_tokens\":" + std::to_string(slot.tokens.size()) + "}";
    }
    return out + "]";
}
