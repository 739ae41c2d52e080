import StorePlatform
import Testing

@testable import StoreMetrics

@Suite struct MetricsTextTests {
    private static func text(_ format: MetricsFormat) -> String {
        var metrics = MetricsWriter(format)
        metrics.write(.counter, "store_seen_total", "Seen.", [(["a": "x\\\"\n"], 3)])
        metrics.write(.counter, "store_busy_seconds_total", "Busy.", [([:], 0.5)])
        metrics.write(.info, "store_build_info", "Built.", [(["version": "1"], 1)])
        var spread = Distribution(.forDurations)
        spread.add(1_000)
        spread.add(20_000_000_000)
        metrics.write(.histogram, "store_work_seconds", "Work.", [([:], spread)])
        return metrics.text
    }

    @Test func `Prometheus's format has the whole name of a counter in its head`() {
        let lines = Self.text(.prometheus).split(separator: "\n")
        #expect(lines.contains("# TYPE store_seen_total counter"))
        #expect(lines.contains(#"store_seen_total{a="x\\\"\n"} 3"#))
        #expect(lines.contains("# TYPE store_build_info gauge"))
        #expect(!lines.contains { $0.hasPrefix("# UNIT") || $0 == "# EOF" })
    }

    @Test func `OpenMetrics has families, units and an end`() {
        let text = Self.text(.openMetrics)
        let lines = text.split(separator: "\n")
        #expect(lines.contains("# TYPE store_seen counter"))
        #expect(lines.contains(#"store_seen_total{a="x\\\"\n"} 3"#))
        #expect(lines.contains("# TYPE store_busy_seconds counter"))
        #expect(lines.contains("# UNIT store_busy_seconds seconds"))
        #expect(lines.contains("store_busy_seconds_total 0.5"))
        #expect(lines.contains("# TYPE store_build info"))
        #expect(lines.contains(#"store_build_info{version="1"} 1"#))
        #expect(text.hasSuffix("\n# EOF\n"))
    }

    @Test func `a histogram's buckets add up, and a value at a bound is in its bucket`() {
        let lines = Self.text(.prometheus).split(separator: "\n")
        #expect(lines.contains(#"store_work_seconds_bucket{le="1e-06"} 1"#))
        #expect(lines.contains(#"store_work_seconds_bucket{le="10.0"} 1"#))
        #expect(lines.contains(#"store_work_seconds_bucket{le="+Inf"} 2"#))
        #expect(lines.contains("store_work_seconds_count 2"))
        #expect(lines.contains("store_work_seconds_sum 20.000001"))
    }

    @Test(arguments: [
        (nil, false), ("*/*", false), ("text/plain", false),
        ("application/openmetrics-text; version=1.0.0", true),
        ("application/openmetrics-text;version=\"1.0.0\";q=0.5, text/plain;q=0.4", true),
        ("application/openmetrics-text;version=1.0.0;q=0.4, text/plain;q=0.5", false),
        ("application/openmetrics-text;version=0.0.1;q=0.75,text/plain;q=0.5", false),
        ("application/openmetrics-text;version=1.0.0;q=0", false),
        ("Application/OpenMetrics-Text, */*;q=0.1", true),
    ])
    func `the format is the one with the greater weight`(accept: String?, isOpen: Bool) {
        let format = MetricsFormat(accepting: accept)
        #expect(format == (isOpen ? .openMetrics : .prometheus))
    }
}
