import StorePlatform
import Synchronization

/// Coders' working memory, kept for the next document: making it anew takes longer than a small
/// document does.
final class CoderPool<Box: AnyObject & Sendable>: Sendable {
    /// The most boxes that are kept while none is in use, besides the first.
    static var restMax: Int { 8 }
    /// Memory of one box above this is not kept.
    static var bytesMax: Int { 4 << 20 }

    private let make: @Sendable () -> Box
    /// The address of a box that is to be had without a lock, as where one thread codes at a time;
    /// 0 for none.
    private let first = Atomic<UInt>(0)
    private let rest = Locked<[Box]>([])

    init(_ make: @escaping @Sendable () -> Box) {
        self.make = make
    }

    deinit {
        _ = takeFirst()
    }

    func take() -> Box {
        takeFirst() ?? rest.withLock { $0.popLast() } ?? make()
    }

    func give(_ box: consuming Box) {
        // Safety: an address in `first` owns its box until `takeFirst` takes both.
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
