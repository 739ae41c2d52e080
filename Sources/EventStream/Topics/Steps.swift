package import Wire

/// The newest version of a topic whose readers are sent what turns the version that they have into it.
///
/// Each such step is made once, when the first reader needs it, and shared by all who have the same
/// version.
package struct Steps: Sendable {
    /// How many steps are made for one version, besides the one from the version before. Readers
    /// that are further back get all of it instead: a step costs more to make than to leave out.
    package static let stepsMax = 16

    package private(set) var newest: (version: UInt64, state: any TopicState)?
    /// The version before the newest.
    private var previous: UInt64?
    /// The frames that lead to the newest, by the version that they begin with.
    private var steps: [UInt64: Bytes] = [:]
    private var whole: Bytes?

    package init() {}

    /// Takes a newer version. Answers `false`, and takes nothing, where it is not newer.
    package mutating func publish(_ state: any TopicState, version: UInt64) -> Bool {
        if let newest, version <= newest.version { return false }
        previous = newest?.version
        newest = (version, state)
        steps.removeAll(keepingCapacity: true)
        whole = nil
        return true
    }

    /// What a reader that has this version is to be sent; `nil` while there is nothing.
    ///
    /// - Parameter kept: an earlier version, where it is still there.
    package mutating func frame(
        from known: UInt64?,
        kept: (UInt64) -> (any TopicState)?
    ) -> Bytes? {
        guard let newest else { return nil }
        guard let known else { return all(of: newest.state) }
        if let step = steps[known] { return step }
        guard known == previous || steps.count < Self.stepsMax, let old = kept(known) else {
            return all(of: newest.state)
        }
        let step =
            newest.state.step(from: old, isSkip: known != previous) ?? all(of: newest.state)
        steps[known] = step
        return step
    }

    private mutating func all(of state: any TopicState) -> Bytes {
        if let whole { return whole }
        let frame = state.whole()
        whole = frame
        return frame
    }
}
