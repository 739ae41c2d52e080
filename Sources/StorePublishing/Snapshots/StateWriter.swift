import StoreCore
import StorePlatform
package import StoreWire

/// Encodes the state of each version that is published. The Core's thread makes every call.
package protocol StateWriter<State>: AnyObject {
    associatedtype State

    /// The state of a version.
    ///
    /// - Throws: where it has no JSON form; the next call begins from what was committed.
    func snapshot(_ state: State, at tag: Tag) throws(JSONError) -> Snapshot

    /// What was encoded since the last commit is out.
    func committed()

    /// What was encoded since the last commit is void.
    func rolledBack()
}

/// Encodes any state, whole.
package final class WholeStateWriter<State: Encodable>: StateWriter {
    private let encoder: JSONEncoder

    private let times: EncodeTimes?

    /// Makes a writer; `times` has what is measured of it, if anything is.
    package init(_ encoder: JSONEncoder, measuring times: EncodeTimes? = nil) {
        self.encoder = encoder
        self.times = times
    }

    package func snapshot(_ state: State, at tag: Tag) throws(JSONError) -> Snapshot {
        let began = times == nil ? 0 : SystemTime.steadyNanoseconds()
        let snapshot = Snapshot(tag: tag, state: try encoder.encodeShared(state))
        times?.observe(0, from: began, to: SystemTime.steadyNanoseconds())
        return snapshot
    }

    package func committed() {}
    package func rolledBack() {}
}
