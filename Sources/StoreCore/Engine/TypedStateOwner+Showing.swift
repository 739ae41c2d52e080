// The output of the Core: states and changes, shown to the sink and to the watchers.

extension TypedStateOwner {
    func reduced(
        version: UInt64,
        _ steps: ContiguousArray<Step>,
        from first: Int,
        changed: Bool
    ) {
        for touched in touched {
            for index in first..<steps.count {
                touched.insert(steps[index].change, from: steps[index].envelope.session)
            }
        }
        if let sink, sink.takesEachVersion {
            sink.reduced(current, version: version, changed: changed)
        }
    }

    func prepare(through version: UInt64) throws {
        try sink?.prepare(current, through: version)
    }

    func committed(through version: UInt64, for audience: Audience?) {
        sink?.committed(current, through: version, for: audience)
    }

    func completed() {
        sink?.completed()
    }

    func showSlices(_ step: Step, version: UInt64?) {
        guard let machine, let place = step.kept else { return }
        let envelope = step.envelope
        let watch = envelope.watch.map { EffectWatch(following: $0) }
        machine.show(
            step.change,
            from: kept[place],
            to: kept[place + 1],
            SliceCause(
                version: version,
                isElsewhere: version == nil,
                session: envelope.session,
                sender: .known(
                    principal: envelope.principal,
                    trace: TraceContext.parent(of: step.member.meta)
                ),
                audience: envelope.audience,
                watch: watch
            )
        )
    }

    func middleware(before action: StampedAction) -> [@Sendable () -> Void] {
        watchers.middleware(before: action, current)
    }

    func intercept(stamp: ((any Action)?) throws -> StampedAction) throws -> Intercepted {
        try watchers.intercept(current, stamp: stamp)
    }

    func reactions(to step: Step) -> [(action: any Action, place: String)] {
        guard let place = step.kept else { return [] }
        return watchers.reactions(to: step, from: kept[place], to: kept[place + 1])
    }

    func showState(_ step: Step) {
        guard watchers.counts.observers > 0, let place = step.kept else { return }
        watchers.show(kept[place + 1], step.envelope.watch)
    }

    /// Adds an observer, which gets the current state, and then all later states.
    func add(observer: Subscriber<(State) -> Void>) {
        watchers.add(observer, current)
    }
}
