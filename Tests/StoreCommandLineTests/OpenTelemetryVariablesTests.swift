import Testing

@testable import StoreCommandLine

@Suite struct OpenTelemetryVariablesTests {
    private let base = ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"]

    @Test func `the endpoint of traces precedes the endpoint of all signals`() {
        let own = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://t:4318/v1/traces"]
        #expect(OpenTelemetryVariables(base).endpoint == "http://c:4318")
        let both = base.merging(own) { $1 }
        #expect(OpenTelemetryVariables(both).endpoint == "http://t:4318/v1/traces")
        #expect(OpenTelemetryVariables([:]) == OpenTelemetryVariables(["OTEL_SERVICE_NAME": ""]))
        #expect(OpenTelemetryVariables(["OTEL_SERVICE_NAME": "a"]).serviceName == "a")
    }

    @Test(arguments: [
        ("OTEL_SDK_DISABLED", "true", false), ("OTEL_SDK_DISABLED", "false", true),
        ("OTEL_TRACES_EXPORTER", "none", false), ("OTEL_TRACES_EXPORTER", "otlp", true),
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", false),
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf", true),
        ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "grpc", false),
    ])
    func `another exporter or protocol is refused`(name: String, value: String, isTaken: Bool) {
        let variables = OpenTelemetryVariables(base.merging([name: value]) { $1 })
        #expect((variables.endpoint != nil) == isTaken)
    }
}
