// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Shop",
    dependencies: [.package(name: "StoreServer", path: "../..")],
    targets: [
        .executableTarget(
            name: "Shop",
            dependencies: [
                .product(name: "StorePatterns", package: "StoreServer"),
                .product(name: "StoreServer", package: "StoreServer"),
            ]
        ),
        .testTarget(
            name: "ShopTests",
            dependencies: ["Shop", .product(name: "StoreTesting", package: "StoreServer")]
        ),
    ]
)
