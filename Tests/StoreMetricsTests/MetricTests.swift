import Testing

@testable import StoreMetrics

@Suite struct MetricTests {
    @Test func `each metric has a name of its own, with the end of its kind`() {
        #expect(Set(Metric.all.map(\.name)).count == Metric.all.count)
        for metric in Metric.all {
            #expect((metric.kind == .counter) == metric.name.hasSuffix("_total"), "\(metric.name)")
            #expect((metric.kind == .info) == metric.name.hasSuffix("_info"), "\(metric.name)")
        }
    }

    @Test func `figures of effects have the labels of the store, the module and the action`() {
        let times = EffectTimes()
        times.begin("home/op\"ened", of: "home")
        times.fail("home/op\"ened", of: "home")
        let samples = times.samples(["store": "s"])
        #expect(
            samples.map(\.labels.text) == [#"{store="s",module="home",action="home/op\"ened"}"#]
        )
        #expect(samples.map(\.series.running) == [1])
        #expect(samples.map(\.series.failed) == [1])
    }

    @Test func `a server without stores and process has the heads of its stores' metrics`() {
        let lines = Measurements([], nil).text(.prometheus).split(separator: "\n")
        #expect(lines.contains("# TYPE store_version gauge"))
        #expect(lines.allSatisfy { $0.hasPrefix("# ") })
        #expect(!lines.contains { $0.contains("store_effects_running") })
        #expect(!lines.contains { $0.contains("process_threads") })
    }
}
