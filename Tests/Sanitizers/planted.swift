// Planted faults: a race, which the thread sanitizer finds, and a use of freed memory, which both
// sanitizers find. If a sanitizer does not report them, its reports about the server prove nothing.

import Glibc

let number = UnsafeMutablePointer<Int>.allocate(capacity: 1)
number.initialize(to: 0)

var thread = pthread_t()
pthread_create(
    &thread,
    nil,
    { number in
        number?.assumingMemoryBound(to: Int.self).pointee += 1
        return nil
    },
    number
)
number.pointee += 1
pthread_join(thread, nil)

number.deallocate()
print(number.pointee)
