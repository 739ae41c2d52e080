// swift-tools-version: 6.2
import PackageDescription

/// Measurements, in a package of their own, because they use libraries that the daemon must not
/// link.
func bench(_ name: String, _ products: [String]) -> Target {
    .executableTarget(
        name: name,
        dependencies: ["Harness"] + products.map { .product(name: $0, package: "StoreServer") },
        swiftSettings: [.swiftLanguageMode(.v6)]
    )
}

let package = Package(
    name: "bench",
    dependencies: [.package(name: "StoreServer", path: "..")],
    targets: [
        .target(name: "Harness", swiftSettings: [.swiftLanguageMode(.v6)]),
        bench("codec", ["StoreWireFoundation"]),
        bench("core", ["StoreCore"]),
        bench("cost", ["StoreCore"]),
        bench("journal", ["StoreJournalSQLite", "StoreCore"]),
        bench("stores-server", ["StoreCore", "StoreServer"]),
        bench("modules-server", ["StoreCore", "StoreServer"]),
        bench("collections-server", ["StoreCore", "StoreServer"]),
        bench("sessions-server", ["StoreCore", "StorePatterns", "StoreServer"]),
    ]
)
