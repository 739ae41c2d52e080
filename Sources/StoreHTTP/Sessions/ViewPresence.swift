package import StoreCore
package import StorePatterns
import StorePlatform
import StoreTexts
import Synchronization

/// What a client shows by reading a stream: the slice of a module, or that of an instance.
package struct ShownSlice: Hashable, Sendable {
    /// The module's place.
    package let module: Int
    /// The instance's id; `nil` where the module has one slice.
    package let instance: ExactText?

    package init(module: Int, instance: String? = nil) {
        self.module = module
        self.instance = instance.map { ExactText($0) }
    }
}

/// Which clients show which slices: a client shows a slice while it has the slice's stream open.
///
/// A module whose view declares actions for that dispatches them when the first stream of a
/// session opens, and when the last one ends.
package final class ViewPresence: Sendable {
    /// Dispatches an action of a view, with the session and the client that it is for.
    package typealias Dispatch =
        @Sendable (any Action, _ session: String?, _ origin: String) throws(MailboxError) -> Void

    private struct Showing: Hashable {
        let slice: ShownSlice
        let session: String
    }

    /// The action of each module's view when its visibility changes, by the module's place.
    private let visibility: [@Sendable (ViewVisibility) -> (any Action)?]
    private let isStarted: @Sendable (_ slice: ShownSlice, _ session: String?) -> Bool
    private let dispatch: Dispatch
    private let streams = Locked<[Showing: Int]>([:])

    package init(
        _ visibility: [@Sendable (ViewVisibility) -> (any Action)?],
        isStarted: @escaping @Sendable (_ slice: ShownSlice, _ session: String?) -> Bool,
        dispatch: @escaping Dispatch
    ) {
        self.visibility = visibility
        self.isStarted = isStarted
        self.dispatch = dispatch
    }

    /// A client, `origin` in the log, opens a slice's stream. Returns what is to be done when that
    /// ends: nothing where the view has no action for it, or the slice is not started.
    ///
    /// - Throws: ``MailboxError`` where the Core does not take the view's action; the stream is not
    ///   counted then.
    package func begin(
        _ slice: ShownSlice,
        in session: String?,
        origin: String?
    ) throws(MailboxError) -> (@Sendable () -> Void)? {
        guard
            visibility[slice.module](.visible) != nil || visibility[slice.module](.hidden) != nil,
            isStarted(slice, session)
        else { return nil }
        let showing = Showing(slice: slice, session: session ?? Sessions.shared)
        // Said within the lock, so that what is said last is how it is.
        try streams.withLock { streams throws(MailboxError) in
            if streams[showing] == nil { try report(.visible, showing, origin) }
            streams[showing, default: 0] += 1
        }
        return { [self] in
            streams.withLock { streams in
                let left = (streams[showing] ?? 1) - 1
                streams[showing] = left > 0 ? left : nil
                // Where the mailbox is full, the Core's own log has a line.
                if left == 0, isStarted(slice, session) { try? report(.hidden, showing, origin) }
            }
        }
    }

    private func report(
        _ change: ViewVisibility,
        _ showing: Showing,
        _ origin: String?
    ) throws(MailboxError) {
        guard let action = visibility[showing.slice.module](change) else { return }
        let addressed: any Action = showing.slice.instance.map { action.to($0.text) } ?? action
        let session = showing.session == Sessions.shared ? nil : showing.session
        try dispatch(addressed, session, origin ?? "StoreServer/views")
    }
}
