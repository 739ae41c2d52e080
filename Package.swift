// swift-tools-version: 6.2
import PackageDescription

/// What every Swift target is compiled with.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

/// A library target; the arrows of docs/ARCHITECTURE.md are its dependencies.
func layer(_ name: String, on dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// A module of the store that ships, in two targets: its interface, which others import, and the
/// module itself, which only the program does. It depends on other modules' interfaces.
func module(_ name: String, on others: [String] = []) -> [Target] {
    let own = ["StoreCore", "StorePatterns", "\(name)Interface"]
    return [
        domain("\(name)Interface", in: "\(name)/Interface", on: ["StoreCore"]),
        domain("\(name)Module", in: "\(name)/Module", on: own + others),
    ]
}

/// A target in a folder of its own under Sources/Domain.
func domain(_ name: String, in folder: String, on dependencies: [String]) -> Target {
    .target(
        name: name,
        dependencies: dependencies.map { .byName(name: $0) },
        path: "Sources/Domain/\(folder)",
        swiftSettings: strict
    )
}

let modules =
    module("Counter")
    + module("Todos")
    + module("Home", on: ["MovieCardInterface"])
    + module("MovieCard")
    + module("Login", on: ["LoginUseCases", "UserInterface"])
    + module("User")

func tests(
    of name: String,
    _ others: [Target.Dependency] = [],
    exclude: [String] = []
) -> Target {
    .testTarget(
        name: "\(name)Tests",
        dependencies: [.target(name: name)] + others,
        exclude: exclude,
        swiftSettings: strict
    )
}

let package = Package(
    name: "StoreServer",
    products: [
        .library(name: "StoreCore", targets: ["StoreCore"]),
        .library(name: "StorePatterns", targets: ["StorePatterns"]),
        .library(name: "StoreServer", targets: ["StoreServer"]),
        .library(name: "JournalSQLite", targets: ["JournalSQLite"]),
        .library(name: "StoreTesting", targets: ["StoreTesting"]),
        .library(name: "HTTPClient", targets: ["HTTPClient"]),
        .library(name: "WireFoundation", targets: ["Wire", "WireFoundation"]),
        .executable(name: "store-server", targets: ["App"]),
    ],
    targets: [
        .target(
            name: "CHTTPD",
            cSettings: [.treatAllWarnings(as: .error)],
            linkerSettings: [.linkedLibrary("microhttpd")]
        ),
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CNettle", providers: [.apt(["nettle-dev"])]),
        .systemLibrary(name: "CGnuTLS", providers: [.apt(["libgnutls28-dev"])]),
        .systemLibrary(name: "CZstd", providers: [.apt(["libzstd-dev"])]),
        .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        layer("Platform"),
        layer("Texts"),
        layer("Digest", on: ["CNettle"]),
        layer("Traces", on: ["Platform"]),
        layer("StoreCore", on: ["Platform", "Texts", "Traces"]),
        layer(
            "JournalSQLite",
            on: ["CNettle", "CSQLite", "CZstd", "Platform", "StoreCore", "Texts"]
        ),
        layer("Wire", on: ["Platform", "Texts"]),
        layer("WireFoundation", on: ["Wire"]),
        layer(
            "Authentication",
            on: ["CGnuTLS", "CNettle", "Digest", "Platform", "Texts", "Wire"]
        ),
        layer("Authorization", on: ["Texts", "Wire"]),
        layer("EventStream", on: ["Texts", "Wire"]),
        layer(
            "HTTPTransport",
            on: ["CHTTPD", "EventStream", "Platform", "Texts", "Traces", "Wire"]
        ),
        layer("ControlledWorld", on: ["Platform", "StoreCore"]),
        layer("StorePatterns", on: ["Platform", "StoreCore"]),
        layer("Telemetry", on: ["Platform", "Texts", "Wire"]),
        layer("ServerCommandLine", on: ["Platform", "Telemetry", "Texts", "Wire"]),
        layer("ActionCatalog", on: ["Platform", "StoreCore", "Telemetry", "Texts", "Wire"]),
        layer(
            "StatePublishing",
            on: [
                "ActionCatalog", "EventStream", "Platform", "StoreCore", "Telemetry", "Texts",
                "Wire",
            ]
        ),
        layer(
            "StoreHistory",
            on: [
                "ActionCatalog", "Digest", "EventStream", "Platform", "StatePublishing",
                "StoreCore", "Telemetry", "Texts", "Wire",
            ]
        ),
        layer(
            "StoreHTTP",
            on: [
                "ActionCatalog", "Authentication", "Authorization", "ControlledWorld", "Digest",
                "EventStream", "HTTPTransport",
                "Platform", "StatePublishing", "StoreCore", "StoreHistory", "StorePatterns",
                "Telemetry", "Texts", "Traces", "Wire",
            ]
        ),
        layer(
            "StoreServer",
            on: [
                "ActionCatalog", "Authentication", "Authorization", "ControlledWorld",
                "EventStream",
                "HTTPTransport", "JournalSQLite", "Platform", "ServerCommandLine",
                "StatePublishing", "StoreCore", "StoreHTTP", "StoreHistory", "StorePatterns",
                "Telemetry", "Texts", "TraceExport", "Traces", "Wire",
            ]
        ),
        layer("HTTPClient", on: ["CCurl", "Platform", "StoreCore", "Texts", "Wire"]),
        layer(
            "TraceExport",
            on: ["HTTPClient", "Platform", "Telemetry", "Traces", "Wire"]
        ),
        domain(
            "LoginUseCases",
            in: "Login/UseCase",
            on: ["StoreCore", "StorePatterns", "UserInterface"]
        ),
        domain(
            "Domain",
            in: "Root",
            on: ["LoginUseCases", "StoreCore", "StorePatterns"] + modules.map(\.name)
        ),
        .executableTarget(
            name: "App",
            dependencies: ["Domain", "StoreServer"],
            swiftSettings: strict
        ),
        layer(
            "StoreTesting",
            on: [
                "ControlledWorld", "Platform", "StoreCore", "StorePatterns", "Texts", "Wire",
            ]
        ),

        tests(of: "Platform"),
        tests(of: "Texts", ["Wire"]),
        tests(of: "StoreCore", ["Platform", "StorePatterns", "StoreTesting"]),
        tests(of: "StorePatterns", ["Platform", "StoreCore", "StoreTesting"]),
        .testTarget(
            name: "JournalTests",
            dependencies: ["JournalSQLite", "Platform", "StoreCore", "StoreTesting"],
            swiftSettings: strict
        ),
        .target(name: "CDiskFaults", path: "Tests/CDiskFaults"),
        tests(
            of: "JournalSQLite",
            ["CDiskFaults", "Platform", "StoreCore", "StoreTesting"],
            exclude: ["Fixtures"]
        ),
        .target(
            name: "Simulator",
            dependencies: [
                "ActionCatalog", "Authentication", "CHTTPD", "ControlledWorld", "Domain",
                "EventStream", "HTTPTransport", "JournalSQLite", "Platform", "StatePublishing",
                "StoreCore",
                "StoreHTTP", "StoreHistory", "StorePatterns", "StoreServer", "StoreTesting",
                "Telemetry", "Wire",
            ] + modules.map { .init(stringLiteral: $0.name) },
            path: "Tests/Simulator",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "simulate",
            dependencies: ["Simulator"],
            path: "Tests/Simulate",
            swiftSettings: strict
        ),
        tests(of: "Simulator", ["ControlledWorld", "StoreCore"]),
        tests(of: "Wire"),
        tests(of: "WireFoundation", ["Wire"], exclude: ["Documents"]),
        tests(of: "Authorization", ["Wire"]),
        tests(of: "EventStream", ["Texts", "Wire"]),
        tests(of: "HTTPTransport", ["EventStream", "Platform", "StoreTesting", "Wire"]),
        tests(of: "HTTPClient", ["StoreCore"]),
        tests(of: "Traces"),
        tests(of: "TraceExport", ["HTTPClient", "Platform", "Telemetry", "Traces", "Wire"]),
        tests(
            of: "Domain",
            ["LoginUseCases", "StoreCore", "StorePatterns", "StoreTesting"]
                + modules.map { .init(stringLiteral: $0.name) }
        ),
        tests(of: "StoreTesting", ["Platform", "StoreCore", "StorePatterns"]),
        tests(of: "Telemetry", ["Texts", "Wire"]),
        tests(of: "ServerCommandLine"),
        tests(of: "Authentication", ["CGnuTLS", "Digest", "Platform", "Wire"]),
        tests(
            of: "StoreServer",
            [
                "ActionCatalog", "CHTTPD", "Domain", "EventStream", "HTTPTransport",
                "JournalSQLite", "Platform", "ServerCommandLine", "StatePublishing", "StoreCore",
                "StoreHTTP", "StoreHistory", "StorePatterns", "StoreTesting", "Telemetry", "Wire",
            ]
        ),
    ] + modules
)

// The fuzzers have no main() of their own: libFuzzer's is linked where Tests/Fuzz/run builds them.
if Context.environment["STORE_SERVER_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "Authentication", "Authorization", "CHTTPD", "ControlledWorld", "Domain",
                "EventStream", "HTTPTransport", "JournalSQLite", "Platform", "ServerCommandLine",
                "StatePublishing", "StoreCore", "StoreHTTP", "StoreServer", "Telemetry", "Texts",
                "Wire", "WireFoundation",
            ],
            path: "Tests/Fuzz",
            exclude: [
                "Journals/killed", "Journals/stopped", "Keys", "Requests/policy.json",
                "Seeds", "Words", "judge", "run",
            ],
            swiftSettings: [.swiftLanguageMode(.v6), .unsafeFlags(["-parse-as-library"])]
        )
    )
}
