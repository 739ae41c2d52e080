import StoreCore
import StorePlatform
import Synchronization

/// The states that actions of the past were applied to, made again from history.
///
/// A start uses it for the effects that had not ended when the store stopped: a reducer returns
/// such an effect again where it gets the same slice again. Versions are asked for in rising order,
/// so all of them take one pass over history. The pass has a bound: a start does not wait longer.
package final class StatesBefore<State: Codable & Sendable>: Sendable {
    /// How long all of it may take, in seconds.
    package static var secondsMax: Double { 5 }

    private struct Pass: Sendable {
        /// The state that was made last; from there the next one is made.
        var last: Replay<State>.Base?
        /// Begins with the first state that is asked for.
        var deadline: Deadline?
    }

    private let replay: Replay<State>
    private let pass = Locked(Pass())

    package init(_ replay: Replay<State>) {
        self.replay = replay
    }

    /// The state before the action of a version; `nil` where history does not reach back so far,
    /// can't be reduced any more, or the time is over.
    package func state(before version: UInt64) -> State? {
        guard version > 0 else { return nil }
        return pass.withLock { pass in
            let deadline = pass.deadline ?? Deadline(seconds: Self.secondsMax)
            pass.deadline = deadline
            let last = pass.last.flatMap { $0.version < version ? $0 : nil }
            guard !deadline.isOver, var base = try? last ?? replay.base(for: version - 1),
                (try? replay.advance(
                    &base.state,
                    after: base.version,
                    through: version - 1,
                    until: deadline
                )) != nil
            else { return nil }
            pass.last = Replay<State>.Base(state: base.state, version: version - 1)
            return base.state
        }
    }
}
