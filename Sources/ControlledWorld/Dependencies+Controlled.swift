public import StoreCore

extension Dependencies {
    /// A world in which nothing happens by itself: this clock and its time of day, random numbers
    /// from a seed, counted identifiers. Whatever else is used without having been set is an error
    /// that names it.
    public static func controlled(
        by clock: ManualClock = ManualClock(),
        seed: UInt64 = 0
    ) -> Dependencies {
        Dependencies.unprepared.controlled(by: clock, seed: seed)
    }

    /// The same, with time, random numbers and identifiers as in
    /// ``controlled(by:seed:)-(_,UInt64)``.
    package func controlled(by clock: ManualClock, seed: UInt64 = 0) -> Dependencies {
        self.setting(ClockKey.self, to: clock)
            .setting(WallClockKey.self, to: clock.timeOfDay)
            .setting(RandomKey.self, to: SeededRandom(seed: seed).next)
            .setting(UUIDKey.self, to: CountedUUIDs().next)
    }
}
