import StorePlatform
import Synchronization

/// Working memory of coders, which is kept for the next document: making it takes longer than
/// coding a small document.
final class CoderPool<Box: AnyObject & Sendable>: Sendable {
    /// The maximum number of idle boxes in `rest`; `first` has one more.
    static var restMax: Int { 8 }

    private let make: @Sendable () -> Box
    /// The address of a box that a thread can take without a lock; 0 if there is none. This one box
    /// is enough as long as one thread codes at a time.
    private let first = Atomic<UInt>(0)
    private let rest = Locked<[Box]>([])

    init(_ make: @escaping @Sendable () -> Box) { self.make = make }

    deinit { _ = takeFirst() }

    func take() -> Box { takeFirst() ?? rest.withLock { $0.popLast() } ?? make() }

    func give(_ box: consuming Box) {
        // Safety: `first` holds a reference to the box until `takeFirst` takes the address.
        let owned = Unmanaged.passRetained(box)
        let address = UInt(bitPattern: owned.toOpaque())
        if first.compareExchange(expected: 0, desired: address, ordering: .releasing).exchanged {
            return
        }
        let box = owned.takeRetainedValue()
        rest.withLock { if $0.count < Self.restMax { $0.append(box) } }
    }

    private func takeFirst() -> Box? {
        let address = first.exchange(0, ordering: .acquiring)
        return UnsafeRawPointer(bitPattern: address).map {
            Unmanaged<Box>.fromOpaque($0).takeRetainedValue()
        }
    }
}

/// The owner of one coder's state.
final class CoderBox<State: ~Copyable>: @unchecked Sendable {
    // Safety: the call that took the box from the pool is its only user until `give`.
    let pointer: UnsafeMutablePointer<State>

    init(_ state: consuming State) {
        pointer = .allocate(capacity: 1)
        pointer.initialize(to: state)
    }

    deinit {
        pointer.deinitialize(count: 1)
        pointer.deallocate()
    }
}
