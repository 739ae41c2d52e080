import StoreCore

/// Records the consequences of each commit.
final class SimulatedFollower: CommitFollower {
    private let recorder: Recorder
    private let keep: @Sendable (_ version: UInt64, _ bytes: Int) -> Void

    init(_ recorder: Recorder, appended keep: @escaping @Sendable (UInt64, Int) -> Void) {
        self.recorder = recorder
        self.keep = keep
    }

    var takesAppliedActions: Bool { true }

    func didAppend(through version: UInt64, byteCount: Int) { keep(version, byteCount) }

    func didApply(_ actions: [AppliedAction]) {
        recorder.applied(
            actions.map {
                .init(version: $0.version, type: Bytewise($0.type), changed: $0.changed)
            }
        )
    }

    func didDrop(_ action: DroppedAction) {
        recorder.dropped(
            .init(
                type: action.type,
                cause: action.source.cause,
                isForeign: (action.reason as? DispatchError)?.code == .foreignAction,
                isTooLate: (action.reason as? Refusal)?.reason.hasSuffix("/start first.") == true
            )
        )
    }
}
