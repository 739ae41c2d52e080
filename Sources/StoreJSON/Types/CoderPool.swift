import StorePlatform
import Synchronization

/// A pool of the working memories of coders. Making a working memory takes longer than coding a
/// small document. So the next document uses the memory of an earlier document.
final class CoderPool<Box: AnyObject & Sendable>: Sendable {
    /// The maximum number of idle boxes in `furtherBoxes`. In addition, `firstBoxAddress` can hold
    /// an idle box.
    static var furtherBoxesMax: Int { 8 }

    private let makeBox: @Sendable () -> Box
    /// The address of an idle box that a thread can take without a lock; 0 if there is none. As
    /// long as only one thread codes at a time, the pool needs only this box.
    private let firstBoxAddress = Atomic<UInt>(0)
    private let furtherBoxes = Locked<[Box]>([])

    init(_ make: @escaping @Sendable () -> Box) { self.makeBox = make }

    deinit { _ = takeFirst() }

    func take() -> Box { takeFirst() ?? furtherBoxes.withLock { $0.popLast() } ?? makeBox() }

    func giveBack(_ box: consuming Box) {
        // Safety: the address in `firstBoxAddress` counts as a reference to the box, until
        // `takeFirst` takes the address.
        let owned = Unmanaged.passRetained(box)
        let address = UInt(bitPattern: owned.toOpaque())
        if firstBoxAddress.compareExchange(expected: 0, desired: address, ordering: .releasing)
            .exchanged
        {
            return
        }
        let box = owned.takeRetainedValue()
        furtherBoxes.withLock { if $0.count < Self.furtherBoxesMax { $0.append(box) } }
    }

    private func takeFirst() -> Box? {
        let address = firstBoxAddress.exchange(0, ordering: .acquiring)
        return UnsafeRawPointer(bitPattern: address).map {
            Unmanaged<Box>.fromOpaque($0).takeRetainedValue()
        }
    }
}

/// The owner of the state of one coder.
final class CoderBox<State: ~Copyable>: @unchecked Sendable {
    // Safety: only the call that has taken the box from the pool uses the state, until the call
    // gives the box back.
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
