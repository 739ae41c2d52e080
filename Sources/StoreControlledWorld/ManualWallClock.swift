public import StoreCore
import StorePlatform
import Synchronization

/// A time of day that stands still until a test or a clock moves it.
public final class ManualWallClock: WallClock {
    private let time: Locked<Int64>

    /// Makes a clock that shows this time, in nanoseconds since 1970.
    public init(at time: Int64 = 0) {
        self.time = Locked(time)
    }

    /// Returns the current time of the clock, in nanoseconds since 1970.
    public func now() -> Int64 {
        time.withLock { $0 }
    }

    /// Moves the time by so many nanoseconds; a negative number moves it back.
    public func advance(by nanoseconds: Int64) {
        time.withLock { $0 &+= nanoseconds }
    }
}
