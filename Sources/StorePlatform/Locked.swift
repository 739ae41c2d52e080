// The standard library's `Mutex` is built into a library that the thread sanitizer can't look into:
// whatever it guards looks like a race. A build for the sanitizer (-D THREAD_SANITIZER) takes a
// lock that the sanitizer supports; every other build takes `Mutex`.

#if THREAD_SANITIZER
    import Glibc

    /// A value that one thread at a time can reach.
    public struct Locked<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
        // Safety: only the thread that holds `lock` uses `value`; the one owner frees it.
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

        /// Runs `body` with the value while no other thread can.
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

    /// A value that one thread at a time can reach.
    public typealias Locked<Value: ~Copyable> = Mutex<Value>
#endif
