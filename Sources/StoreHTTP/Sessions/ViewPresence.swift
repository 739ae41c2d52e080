package import StoreCore
import StorePatterns
import StorePlatform
import Synchronization

/// A slice that a client shows by reading the slice's stream: the slice of a module, or of an
/// instance.
package struct ShownSlice: Hashable, Sendable {
    /// The module's index.
    package let moduleIndex: Int
    /// The instance's id; `nil` if the module has a single slice.
    package let instance: ExactText?

    package init(moduleIndex: Int, instance: String? = nil) {
        self.moduleIndex = moduleIndex
        self.instance = instance.map { ExactText($0) }
    }
}

/// The slices that clients show. A client shows a slice while it has the slice's stream open.
///
/// A module's view may declare an action for its appearance, and an action for its disappearance.
/// Each action is dispatched once for each session. The first action is dispatched when the slice
/// exists and the session's first stream is open. The second action is dispatched when the
/// session's last stream ends, unless the slice has ended earlier.
package final class ViewPresence: Sendable {
    /// Dispatches an action of a view for a session and a client.
    ///
    /// ``ViewPresence`` calls the closure under its lock, so that the actions are dispatched in the
    /// order of the changes. The closure may do no more than put the action into the mailbox. If
    /// the closure waited, or called this object, all threads that report slices would block.
    package typealias Dispatch =
        @Sendable (any Action, _ session: String?, _ origin: String) throws(MailboxError) -> Void

    /// The origin that the log shows for an action that no client's stream has caused.
    package static let defaultOrigin = "StoreServer/views"

    private struct SessionSlice: Hashable {
        let slice: ShownSlice
        let session: String
    }

    /// A slice that exists. `session` is the slice's session if each session has a slice of its
    /// own.
    private struct ExistingSlice: Hashable {
        let slice: ShownSlice
        let session: String?
    }

    /// The streams of a session that show a slice.
    private struct Streams {
        var count = 0
        /// The origin, as the log shows it, of the client that opened the first stream.
        let origin: String?
        /// True if the action for the view's appearance was dispatched since the slice began.
        var hasViewAppeared = false
    }

    private struct Table {
        var streamsBySliceAndSession: [ShownSlice: [String: Streams]] = [:]
        var existingSlices: Set<ExistingSlice> = []
    }

    private let modules: [SliceDescription]
    private let dispatch: Dispatch
    private let table = Locked(Table())

    package init(_ modules: [SliceDescription], dispatch: @escaping Dispatch) {
        self.modules = modules
        self.dispatch = dispatch
    }

    /// The indices of the modules that declare an action for a view, and whose slices can begin and
    /// end.
    package var watchedModuleIndices: [Int] {
        modules.indices.filter { declaresActions($0) && modules[$0].cardinality != .one }
    }

    /// Counts a stream of a slice. Dispatches the action for the view's appearance if the slice
    /// exists and the view has not appeared yet. `origin` is the client's origin for the log.
    /// Returns a closure for the end of the stream; `nil` if the view declares no action.
    ///
    /// - Throws: ``MailboxError`` if the mailbox has no room for the view's action. After an error,
    ///   the stream is not counted.
    package func beginShowing(
        _ slice: ShownSlice,
        in session: String?,
        origin: String?
    ) throws(MailboxError) -> (@Sendable () -> Void)? {
        let isWhole = modules[slice.moduleIndex].cardinality == .instances && slice.instance == nil
        guard declaresActions(slice.moduleIndex), !isWhole else { return nil }
        let showing = SessionSlice(slice: slice, session: session ?? Sessions.shared)
        // Dispatch under the lock, so that the actions have the same order as the changes of the
        // table.
        try table.withLock { table throws(MailboxError) in
            var streams =
                table.streamsBySliceAndSession[slice]?[showing.session] ?? Streams(origin: origin)
            if !streams.hasViewAppeared, sliceExists(for: showing, table) {
                try dispatchAction(.visible, showing, streams.origin)
                streams.hasViewAppeared = true
            }
            streams.count += 1
            table.streamsBySliceAndSession[slice, default: [:]][showing.session] = streams
        }
        return { [self] in endShowing(showing) }
    }

    /// Records that a slice has begun or ended. The Core's thread calls this function, in version
    /// order.
    package func noteSlice(of module: Int, _ key: SliceKey, exists: Bool) {
        let slice = ShownSlice(moduleIndex: module, instance: key.instance)
        table.withLock { table in
            let place = ExistingSlice(slice: slice, session: key.session)
            if exists {
                table.existingSlices.insert(place)
            } else {
                table.existingSlices.remove(place)
            }
            // Sort the sessions, so that the same calls always dispatch the actions in the same
            // order.
            let showings = (table.streamsBySliceAndSession[slice] ?? [:]).sorted {
                $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
            }
            for (session, streams) in showings
            where key.session == nil || key.session == session {
                guard streams.hasViewAppeared != exists else { continue }
                let showing = SessionSlice(slice: slice, session: session)
                // If the mailbox is full, the Core logs the lost action.
                let isReported =
                    exists && (try? dispatchAction(.visible, showing, streams.origin)) != nil
                table.streamsBySliceAndSession[slice]?[session]?.hasViewAppeared = isReported
            }
        }
    }

    private func endShowing(_ showing: SessionSlice) {
        table.withLock { table in
            guard var streams = table.streamsBySliceAndSession[showing.slice]?[showing.session]
            else {
                return
            }
            streams.count -= 1
            guard streams.count == 0 else {
                table.streamsBySliceAndSession[showing.slice]?[showing.session] = streams
                return
            }
            table.streamsBySliceAndSession[showing.slice]?[showing.session] = nil
            if table.streamsBySliceAndSession[showing.slice]?.isEmpty == true {
                table.streamsBySliceAndSession[showing.slice] = nil
            }
            // If the mailbox is full, the Core logs the lost action.
            if streams.hasViewAppeared { try? dispatchAction(.hidden, showing, streams.origin) }
        }
    }

    private func declaresActions(_ module: Int) -> Bool {
        modules[module].visibilityAction(.visible) != nil
            || modules[module].visibilityAction(.hidden) != nil
    }

    private func sliceExists(for showing: SessionSlice, _ table: Table) -> Bool {
        let module = modules[showing.slice.moduleIndex]
        guard module.cardinality != .one else { return true }
        let session = module.ownership == .session ? showing.session : nil
        return table.existingSlices.contains(ExistingSlice(slice: showing.slice, session: session))
    }

    private func dispatchAction(
        _ change: ViewVisibility,
        _ showing: SessionSlice,
        _ origin: String?
    ) throws(MailboxError) {
        guard let action = modules[showing.slice.moduleIndex].visibilityAction(change) else {
            return
        }
        let addressed: any Action = showing.slice.instance.map { action.to($0.text) } ?? action
        let session = showing.session == Sessions.shared ? nil : showing.session
        try dispatch(addressed, session, origin ?? Self.defaultOrigin)
    }
}
