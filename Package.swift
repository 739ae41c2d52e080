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
        .library(name: "StoreWireFoundation", targets: ["StoreJSON", "StoreWireFoundation"]),
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
                "CStoreNettle", "CStoreSQLite", "CStoreZstd", "StoreCore", "StoreJSON",
                "StorePlatform", "StoreTexts",
            ]
        ),
        layer("StoreJSON", on: ["StorePlatform", "StoreTexts"]),
        layer(
            "StoreCurl",
            on: ["CStoreCurl", "StoreJSON", "StorePlatform", "StoreTexts", "StoreTraces"]
        ),
        layer("StoreJSONSchema", on: ["StoreJSON", "StoreTexts"]),
        layer("StoreWire", on: ["StoreJSON", "StoreJSONSchema", "StoreTexts"]),
        layer("StoreWireFoundation", on: ["StoreJSON"]),
        layer(
            "StoreAuthentication",
            on: [
                "CStoreGnuTLS", "CStoreNettle", "StoreDigest", "StoreJSON", "StorePlatform",
                "StoreTexts", "StoreWire",
            ]
        ),
        layer("StoreAuthorization", on: ["StoreJSON", "StoreTexts", "StoreWire"]),
        layer(
            "StoreHTTPTransport",
            on: [
                "CStoreHTTPD", "StoreJSON", "StorePlatform", "StoreTraces",
                "StoreWire",
            ]
        ),
        layer("StorePatterns", on: ["StoreCore", "StoreJSON", "StorePlatform"]),
        layer("StoreTelemetry", on: ["StoreJSON", "StorePlatform", "StoreTexts", "StoreWire"]),
        layer(
            "StoreCommandLine",
            on: ["StoreCurl", "StoreJSON", "StorePlatform", "StoreTexts", "StoreWire"]
        ),
        layer(
            "StoreActionCatalog",
            on: [
                "StoreCore", "StoreJSON", "StoreJSONSchema", "StorePlatform", "StoreTelemetry",
                "StoreTexts", "StoreWire",
            ]
        ),
        layer(
            "StorePublishing",
            on: [
                "StoreActionCatalog", "StoreCore", "StoreJSON",
                "StorePlatform", "StoreTelemetry", "StoreTexts", "StoreWire",
            ]
        ),
        layer(
            "StoreHistory",
            on: [
                "StoreActionCatalog", "StoreCore", "StoreDigest", "StoreJSON", "StoreJSONSchema",
                "StorePlatform", "StoreTelemetry", "StoreTexts", "StoreWire",
            ]
        ),
        layer(
            "StoreAdmission",
            on: [
                "StoreActionCatalog", "StoreAuthentication", "StoreAuthorization", "StoreCore",
                "StoreDigest", "StoreHTTPTransport", "StoreJSON",
                "StoreJSONSchema",
                "StorePlatform", "StoreTelemetry", "StoreTexts", "StoreWire",
            ]
        ),
        layer(
            "StoreMetrics",
            on: [
                "StoreAdmission", "StoreCore", "StoreHTTPTransport",
                "StoreHistory", "StorePlatform", "StorePublishing", "StoreTelemetry",
                "StoreTexts", "StoreTraces",
            ]
        ),
        layer(
            "StoreHTTP",
            on: [
                "StoreActionCatalog", "StoreAdmission", "StoreAuthentication", "StoreAuthorization",
                "StoreCore", "StoreDigest", "StoreHTTPTransport", "StoreHistory", "StoreJSON",
                "StoreJSONSchema", "StoreMetrics", "StorePatterns", "StorePlatform",
                "StorePublishing", "StoreTelemetry", "StoreTexts", "StoreTraces", "StoreWire",
            ]
        ),
        layer(
            "StoreServer",
            on: [
                "StoreActionCatalog", "StoreAdmission", "StoreAuthentication", "StoreAuthorization",
                "StoreCommandLine", "StoreCore", "StoreDigest", "StoreHTTP", "StoreHTTPTransport",
                "StoreHistory", "StoreJSON", "StoreJSONSchema", "StoreJournalSQLite",
                "StoreMetrics", "StorePatterns",
                "StorePlatform", "StorePublishing", "StoreTelemetry", "StoreTexts",
                "StoreTraceExport", "StoreTraces", "StoreWire",
            ]
        ),
        layer("StoreHTTPClient", on: ["StoreCore", "StoreCurl", "StoreDigest"]),
        layer(
            "StoreTraceExport",
            on: [
                "StoreCurl", "StoreJSON", "StorePlatform", "StoreTelemetry", "StoreTraces",
                "StoreWire",
            ]
        ),
        domain(
            "DefaultLoginUseCases",
            in: "Login/UseCase",
            on: ["DefaultUserInterface", "StoreCore", "StorePatterns"]
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
                "StoreActionCatalog", "StoreAuthorization", "StoreCore",
                "StoreJSON", "StoreJSONSchema", "StorePatterns", "StorePlatform", "StoreTexts",
            ]
        ),

        .target(
            name: "StoreTestSupport",
            dependencies: ["StorePlatform"],
            path: "Tests/StoreTestSupport",
            swiftSettings: strict
        ),
        tests(of: "StorePlatform", ["StoreTestSupport"]),
        tests(of: "StoreTexts", ["StoreJSON", "StoreJSONSchema"]),
        tests(
            of: "StoreCore",
            [
                "StoreJSONSchema", "StorePatterns", "StorePlatform", "StoreTestSupport",
                "StoreTesting",
            ]
        ),
        tests(of: "StorePatterns", ["StoreCore", "StorePlatform", "StoreTesting"]),
        .testTarget(
            name: "JournalTests",
            dependencies: [
                "StoreCore", "StoreJournalSQLite", "StorePlatform", "StoreTestSupport",
                "StoreTesting",
            ],
            swiftSettings: strict
        ),
        .target(name: "CStoreDiskFaults", path: "Tests/CStoreDiskFaults"),
        tests(
            of: "StoreJournalSQLite",
            [
                "CStoreDiskFaults", "StoreCore", "StorePlatform", "StoreTestSupport",
                "StoreTesting",
            ],
            exclude: ["Fixtures"]
        ),
        .target(
            name: "StoreSimulator",
            dependencies: [
                "CStoreHTTPD", "DefaultStore", "StoreActionCatalog", "StoreAdmission",
                "StoreAuthentication", "StoreCore", "StoreHTTP",
                "StoreHTTPTransport", "StoreHistory", "StoreJSON", "StoreJournalSQLite",
                "StorePatterns", "StorePlatform", "StorePublishing", "StoreServer",
                "StoreTelemetry", "StoreTesting", "StoreTexts", "StoreWire",
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
        tests(of: "StoreSimulator", ["StoreCore"]),
        tests(of: "StoreJSON", ["StoreTestSupport", "StoreTexts", "StoreWire"]),
        tests(of: "StoreJSONSchema", ["StoreJSON", "StoreTestSupport"]),
        tests(of: "StoreWire", ["StoreJSON", "StoreJSONSchema", "StoreTestSupport", "StoreTexts"]),
        tests(
            of: "StoreWireFoundation",
            ["StoreJSON", "StoreTestSupport"],
            exclude: ["Documents"]
        ),
        tests(of: "StoreAuthorization", ["StoreJSON", "StoreTestSupport"]),
        tests(
            of: "StoreHTTPTransport",
            [
                "CStoreHTTPD", "StoreJSON", "StorePlatform", "StoreTestSupport", "StoreTexts",
                "StoreWire",
            ]
        ),
        tests(of: "StoreCurl", ["StoreTraces"]),
        tests(of: "StoreHTTPClient", ["StoreCore"]),
        tests(of: "StoreTraces"),
        tests(
            of: "StoreTraceExport",
            ["StoreCurl", "StorePlatform", "StoreTelemetry", "StoreTraces"]
        ),
        tests(
            of: "DefaultStore",
            [
                "DefaultLoginUseCases", "StoreCore", "StorePatterns", "StoreTesting",
            ]
                + modules.map { .init(stringLiteral: $0.name) }
        ),
        tests(of: "StoreTesting", ["StoreCore", "StorePatterns", "StorePlatform"]),
        tests(of: "StoreAdmission", ["StoreHTTPTransport"]),
        tests(of: "StoreMetrics", ["StorePlatform"]),
        tests(of: "StoreTelemetry", ["StoreJSON", "StorePlatform", "StoreTexts"]),
        tests(of: "StoreCommandLine"),
        tests(
            of: "StoreAuthentication",
            ["CStoreGnuTLS", "StoreDigest", "StorePlatform", "StoreTestSupport"]
        ),
        tests(
            of: "StoreServer",
            [
                "CStoreHTTPD", "DefaultStore", "StoreActionCatalog", "StoreAdmission",
                "StoreCommandLine", "StoreCore", "StoreCurl", "StoreHTTP", "StoreHTTPTransport",
                "StoreHistory", "StoreJSON", "StoreJSONSchema", "StoreJournalSQLite",
                "StorePatterns", "StorePlatform", "StorePublishing", "StoreTelemetry",
                "StoreTestSupport", "StoreTesting", "StoreWire",
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
                "CStoreHTTPD", "DefaultStore", "StoreAdmission", "StoreAuthentication",
                "StoreAuthorization", "StoreCommandLine", "StoreCore",
                "StoreHTTP", "StoreHTTPTransport", "StoreJSON", "StoreJournalSQLite",
                "StorePlatform", "StorePublishing", "StoreServer", "StoreTelemetry",
                "StoreTexts", "StoreWire", "StoreWireFoundation",
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
