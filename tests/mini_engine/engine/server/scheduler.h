// Slots that share one batch: who is read and who generates in each step.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "mini.h"

struct Settings {
    int  slots   = 1;
    int  context = 4096;
    int  batch   = 2048;
    bool unified = false;
    bool verbose = false;
};

struct Candidate {
    int    id;
    double logprob;
};

// A completion on its way: filled by the scheduler, read by whoever asked for it.
struct Task {
    std::vector<int> prompt;
    int              n_predict    = 16;
    int              n_probs      = 0;
    bool             cache_prompt = true;
    int              wanted_slot  = -1;

    std::mutex                          mutex;
    std::condition_variable             changed;
    int                                 slot = -1;
    int                                 cached = 0;
    int                                 processed = 0; // tokens of the prompt, the cached ones included
    std::vector<int>                    ids;
    std::vector<std::vector<Candidate>> candidates;
    double                              prompt_ms    = 0;
    double                              predicted_ms = 0;
    bool                                done         = false;
    bool                                abandoned    = false;
};

struct Checkpoint {
    size_t   position;
    uint64_t state;
};

struct Slot {
    int                     id = 0;
    std::shared_ptr<Task>   task;
    std::vector<int>        tokens; // what has been read, and its state after each
    std::vector<uint64_t>   states;
    std::vector<Checkpoint> checkpoints;
    size_t                  restored     = 0; // position of the checkpoint that this task resumed from
    double                  began        = 0;
    double                  prompt_ended = 0;
    int                     last_id_task = -1;
};

class Scheduler {
  public:
    Scheduler(const mini_model & model, const Settings & settings);

    void submit(const std::shared_ptr<Task> & task);

    // Works for ever.
    void run();

    // The slots as /slots shows them.
    std::string slots_json();

    const Settings & settings() const { return settings_; }

  private:
    void start_waiting();
    void start(Slot & slot, const std::shared_ptr<Task> & task);
    void step();
    void generate(Slot & slot);
    void finish(Slot & slot);
    void save_checkpoint(Slot & slot);

    mini_model                        model_;
    Settings                          settings_;
    std::mutex                        mutex_;
    std::condition_variable           submitted_;
    std::deque<std::shared_ptr<Task>> waiting_;
    std::vector<Slot>                 slots_;
    int                               next_task_ = 0;
};

void log_line(const char * format, ...) __attribute__((format(printf, 1, 2)));
