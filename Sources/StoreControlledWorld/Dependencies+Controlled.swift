public import StoreCore

extension Dependencies {
    /// The dependencies of effects in a test, in which nothing happens by itself: a clock that the
    /// test moves, random numbers from a seed, and identifiers that count up. An effect that uses
    /// any other dependency which was not set gets an error that names it.
    public static func controlled(
        by clock: ManualClock = ManualClock(),
        seed: UInt64 = 0
    ) -> Dependencies {
        Dependencies.unprepared.controlled(by: clock, seed: seed)
    }

    /// These dependencies, but with time, random numbers and identifiers as in
    /// ``controlled(by:seed:)-(_,UInt64)``.
    package func controlled(by clock: ManualClock, seed: UInt64 = 0) -> Dependencies {
        self.setting(ClockKey.self, to: clock)
            .setting(WallClockKey.self, to: clock.timeOfDay)
            .setting(RandomKey.self, to: SeededRandom(seed: seed).next)
            .setting(UUIDKey.self, to: CountedUUIDs().next)
    }
}
