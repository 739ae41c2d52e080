import StoreCore
import Wire

extension StoreServer {
    /// What moves the clock, under `--clock test`; nothing otherwise.
    func testRoutes(
        for store: Store<State>,
        _ test: TestWorld?,
        _ limits: JSONLimits
    ) -> [String: any Route] {
        guard let clock = test?.clock else { return [:] }
        return [
            "/test/clock": TestClockRoute(clock: clock),
            "/test/clock/advance": TestClockAdvanceRoute(clock, limits, wake: store.wake),
        ]
    }
}
