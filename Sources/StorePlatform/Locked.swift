// The thread sanitizer cannot look into the library that contains `Mutex`: each use of a guarded
// value looks like a race. A build for the sanitizer (-D THREAD_SANITIZER) uses a
// `pthread_mutex_t`, which the sanitizer supports. Every other build uses `Mutex`.

#if THREAD_SANITIZER
    import Glibc

    /// A value that only one thread at a time can use.
    public struct Locked<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
        // Safety: only the thread that holds `lock` uses `value`; `deinit` frees the lock and the
        // value.
        private let lock: UnsafeMutablePointer<pthread_mutex_t>
        private let value: UnsafeMutablePointer<Value>

        /// Guards a value.
        public init(_ value: consuming sending Value) {
            lock = .allocate(capacity: 1)
            pthread_mutex_init(lock, nil)
            self.value = .allocate(capacity: 1)
            self.value.initialize(to: value)
        }

        deinit {
            value.deinitialize(count: 1)
            value.deallocate()
            pthread_mutex_destroy(lock)
            lock.deallocate()
        }

        /// Runs `body` with the value while no other thread can use it.
        public borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            pthread_mutex_lock(lock)
            defer { pthread_mutex_unlock(lock) }
            return try body(&value.pointee)
        }
    }
#else
    public import Synchronization

    /// A value that only one thread at a time can use.
    public typealias Locked<Value: ~Copyable> = Mutex<Value>
#endif
