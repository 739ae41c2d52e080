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
    let own = ["StoreCore", "StorePatterns", "Default\(name)Interface"]
    return [
        domain("Default\(name)Interface", in: "\(name)/Interface", on: ["StoreCore"]),
        domain("Default\(name)Module", in: "\(name)/Module", on: own + others),
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
    + module("Home", on: ["DefaultMovieCardInterface"])
    + module("MovieCard")
    + module("Login", on: ["DefaultLoginUseCases", "DefaultUserInterface"])
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
        .library(name: "StoreJournalSQLite", targets: ["StoreJournalSQLite"]),
        .library(name: "StoreTesting", targets: ["StoreTesting"]),
        .library(name: "StoreHTTPClient", targets: ["StoreHTTPClient"]),
        .library(name: "StoreWireFoundation", targets: ["StoreWire", "StoreWireFoundation"]),
        .executable(name: "store-server", targets: ["StoreServerApp"]),
    ],
    targets: [
        .target(
            name: "CStoreHTTPD",
            path: "Sources/CHTTPD",
            cSettings: [.treatAllWarnings(as: .error)],
            linkerSettings: [.linkedLibrary("microhttpd")]
        ),
        .systemLibrary(name: "CStoreSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CStoreNettle", providers: [.apt(["nettle-dev"])]),
        .systemLibrary(name: "CStoreGnuTLS", providers: [.apt(["libgnutls28-dev"])]),
        .systemLibrary(name: "CStoreZstd", providers: [.apt(["libzstd-dev"])]),
        .target(name: "CStoreCurl", cSettings: [.treatAllWarnings(as: .error)]),
        layer("StorePlatform"),
        layer("StoreTexts"),
        layer("StoreDigest", on: ["CStoreNettle"]),
        layer("StoreTraces", on: ["StorePlatform"]),
        layer("StoreCore", on: ["StorePlatform", "StoreTexts", "StoreTraces"]),
        layer(
            "StoreJournalSQLite",
            on: [
                "CStoreNettle", "CStoreSQLite", "CStoreZstd", "StorePlatform", "StoreCore",
                "StoreTexts",
            ]
        ),
        layer("StoreWire", on: ["StorePlatform", "StoreTexts"]),
        layer("StoreWireFoundation", on: ["StoreWire"]),
        layer(
            "StoreAuthentication",
            on: [
                "CStoreGnuTLS", "CStoreNettle", "StoreDigest", "StorePlatform", "StoreTexts",
                "StoreWire",
            ]
        ),
        layer("StoreAuthorization", on: ["StoreTexts", "StoreWire"]),
        layer("StoreEventStream", on: ["StoreTexts", "StoreWire"]),
        layer(
            "StoreHTTPTransport",
            on: [
                "CStoreHTTPD", "StoreEventStream", "StorePlatform", "StoreTexts", "StoreTraces",
                "StoreWire",
            ]
        ),
        layer("StoreControlledWorld", on: ["StorePlatform", "StoreCore"]),
        layer("StorePatterns", on: ["StorePlatform", "StoreCore"]),
        layer("StoreTelemetry", on: ["StorePlatform", "StoreTexts", "StoreWire"]),
        layer(
            "StoreCommandLine",
            on: ["StorePlatform", "StoreTelemetry", "StoreTexts", "StoreWire"]
        ),
        layer(
            "StoreActionCatalog",
            on: ["StorePlatform", "StoreCore", "StoreTelemetry", "StoreTexts", "StoreWire"]
        ),
        layer(
            "StorePublishing",
            on: [
                "StoreActionCatalog", "StoreEventStream", "StorePlatform", "StoreCore",
                "StoreTelemetry", "StoreTexts",
                "StoreWire",
            ]
        ),
        layer(
            "StoreHistory",
            on: [
                "StoreActionCatalog", "StoreDigest", "StoreEventStream", "StorePlatform",
                "StorePublishing",
                "StoreCore", "StoreTelemetry", "StoreTexts", "StoreWire",
            ]
        ),
        layer(
            "StoreHTTP",
            on: [
                "StoreActionCatalog", "StoreAuthentication", "StoreAuthorization",
                "StoreControlledWorld", "StoreDigest",
                "StoreEventStream", "StoreHTTPTransport",
                "StorePlatform", "StorePublishing", "StoreCore", "StoreHistory", "StorePatterns",
                "StoreTelemetry", "StoreTexts", "StoreTraces", "StoreWire",
            ]
        ),
        layer(
            "StoreServer",
            on: [
                "StoreActionCatalog", "StoreAuthentication", "StoreAuthorization",
                "StoreControlledWorld", "StoreDigest",
                "StoreEventStream",
                "StoreHTTPTransport", "StoreJournalSQLite", "StorePlatform", "StoreCommandLine",
                "StorePublishing", "StoreCore", "StoreHTTP", "StoreHistory", "StorePatterns",
                "StoreTelemetry", "StoreTexts", "StoreTraceExport", "StoreTraces", "StoreWire",
            ]
        ),
        layer(
            "StoreHTTPClient",
            on: ["CStoreCurl", "StorePlatform", "StoreCore", "StoreTexts", "StoreWire"]
        ),
        layer(
            "StoreTraceExport",
            on: ["StoreHTTPClient", "StorePlatform", "StoreTelemetry", "StoreTraces", "StoreWire"]
        ),
        domain(
            "DefaultLoginUseCases",
            in: "Login/UseCase",
            on: ["StoreCore", "StorePatterns", "DefaultUserInterface"]
        ),
        domain(
            "DefaultStore",
            in: "Root",
            on: ["DefaultLoginUseCases", "StoreCore", "StorePatterns"] + modules.map(\.name)
        ),
        .executableTarget(
            name: "StoreServerApp",
            dependencies: ["DefaultStore", "StoreServer"],
            swiftSettings: strict
        ),
        layer(
            "StoreTesting",
            on: [
                "StoreActionCatalog", "StoreAuthorization", "StoreControlledWorld",
                "StorePlatform", "StoreCore", "StorePatterns", "StoreTexts", "StoreWire",
            ]
        ),

        .target(
            name: "StoreTestSupport",
            dependencies: ["StorePlatform"],
            path: "Tests/StoreTestSupport",
            swiftSettings: strict
        ),
        tests(of: "StorePlatform", ["StoreTestSupport"]),
        tests(of: "StoreTexts", ["StoreWire"]),
        tests(
            of: "StoreCore",
            ["StorePlatform", "StorePatterns", "StoreTestSupport", "StoreTesting", "StoreWire"]
        ),
        tests(of: "StorePatterns", ["StorePlatform", "StoreCore", "StoreTesting"]),
        .testTarget(
            name: "JournalTests",
            dependencies: ["StoreJournalSQLite", "StorePlatform", "StoreCore", "StoreTesting"],
            swiftSettings: strict
        ),
        .target(name: "CStoreDiskFaults", path: "Tests/CStoreDiskFaults"),
        tests(
            of: "StoreJournalSQLite",
            ["CStoreDiskFaults", "StorePlatform", "StoreCore", "StoreTesting"],
            exclude: ["Fixtures"]
        ),
        .target(
            name: "StoreSimulator",
            dependencies: [
                "StoreActionCatalog", "StoreAuthentication", "CStoreHTTPD", "StoreControlledWorld",
                "DefaultStore",
                "StoreEventStream", "StoreHTTPTransport", "StoreJournalSQLite", "StorePlatform",
                "StorePublishing",
                "StoreCore",
                "StoreHTTP", "StoreHistory", "StorePatterns", "StoreServer", "StoreTesting",
                "StoreTelemetry", "StoreWire",
            ] + modules.map { .init(stringLiteral: $0.name) },
            path: "Tests/StoreSimulator",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "store-simulate",
            dependencies: ["StoreSimulator"],
            path: "Tests/StoreSimulate",
            swiftSettings: strict
        ),
        tests(of: "StoreSimulator", ["StoreControlledWorld", "StoreCore"]),
        tests(of: "StoreWire"),
        tests(of: "StoreWireFoundation", ["StoreWire"], exclude: ["Documents"]),
        tests(of: "StoreAuthorization", ["StoreWire"]),
        tests(of: "StoreEventStream", ["StoreTexts", "StoreWire"]),
        tests(
            of: "StoreHTTPTransport",
            [
                "StoreEventStream", "StorePlatform", "StoreTestSupport", "StoreTesting",
                "StoreWire",
            ]
        ),
        tests(of: "StoreHTTPClient", ["StoreCore"]),
        tests(of: "StoreTraces"),
        tests(
            of: "StoreTraceExport",
            ["StoreHTTPClient", "StorePlatform", "StoreTelemetry", "StoreTraces", "StoreWire"]
        ),
        tests(
            of: "DefaultStore",
            ["DefaultLoginUseCases", "StoreCore", "StorePatterns", "StoreTesting"]
                + modules.map { .init(stringLiteral: $0.name) }
        ),
        tests(of: "StoreTesting", ["StorePlatform", "StoreCore", "StorePatterns"]),
        tests(of: "StoreTelemetry", ["StoreTexts", "StoreWire"]),
        tests(of: "StoreCommandLine"),
        tests(
            of: "StoreAuthentication",
            ["CStoreGnuTLS", "StoreDigest", "StorePlatform", "StoreWire"]
        ),
        tests(
            of: "StoreServer",
            [
                "StoreActionCatalog", "CStoreHTTPD", "DefaultStore", "StoreEventStream",
                "StoreHTTPTransport",
                "StoreJournalSQLite", "StorePlatform", "StoreCommandLine", "StorePublishing",
                "StoreCore",
                "StoreHTTP", "StoreHistory", "StorePatterns", "StoreTestSupport", "StoreTesting",
                "StoreTelemetry", "StoreWire",
            ]
        ),
    ] + modules
)

// The fuzzers have no main() of their own: libFuzzer's is linked where Tests/Fuzz/run builds them.
if Context.environment["STORE_SERVER_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(
            name: "store-fuzz",
            dependencies: [
                "StoreAuthentication", "StoreAuthorization", "CStoreHTTPD", "StoreControlledWorld",
                "DefaultStore",
                "StoreEventStream", "StoreHTTPTransport", "StoreJournalSQLite", "StorePlatform",
                "StoreCommandLine",
                "StorePublishing", "StoreCore", "StoreHTTP", "StoreServer", "StoreTelemetry",
                "StoreTexts",
                "StoreWire", "StoreWireFoundation",
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
