import Testing

@testable import StoreMetrics

@Suite struct MetricTests {
    @Test func `each metric has a name of its own`() {
        #expect(Set(Metric.all.map(\.name)).count == Metric.all.count)
    }

    @Test(arguments: [
        ("store_actions_total", MetricKind.counter), ("store_build_info", .info),
        ("store_version", .gauge), ("store_journal_retention_seconds", .gauge),
        ("store_commit_seconds", .histogram), ("store_reduce_seconds", .histogram),
    ])
    func `the kind of a metric follows from its name and its values`(name: String, kind: MetricKind)
    {
        #expect(Metric.all.first { $0.name == name }?.kind == kind)
    }

    @Test func `figures of effects have the labels of the store, the module and the action`() {
        let times = EffectTimes()
        times.noteBeginning("home/op\"ened", of: "home")
        times.noteFailure("home/op\"ened", of: "home")
        let samples = times.labelledSeries(["store": "s"])
        #expect(
            samples.map(\.labels.text) == [#"{store="s",module="home",action="home/op\"ened"}"#]
        )
        #expect(samples.map(\.series.runningCount) == [1])
        #expect(samples.map(\.series.failedCount) == [1])
    }

    @Test func `a server without stores and process has the heads of its stores' metrics`() {
        let lines = Measurements([], nil).text(.prometheus).split(separator: "\n")
        #expect(lines.contains("# TYPE store_version gauge"))
        #expect(lines.allSatisfy { $0.hasPrefix("# ") })
        #expect(!lines.contains { $0.contains("store_effects_running") })
        #expect(!lines.contains { $0.contains("process_threads") })
    }
}
