# Device descriptions: limits and rates of GPU models, read from JSON, and the occupancy rules.
add_library(gpusched_device_description STATIC
  ${CMAKE_CURRENT_LIST_DIR}/DeviceDescription.cpp
  ${CMAKE_CURRENT_LIST_DIR}/DeviceDescriptionJson.cpp
)
target_compile_definitions(gpusched_device_description PRIVATE
  GPUSCHED_DEVICES_BUILD_FOLDER="${PROJECT_BINARY_DIR}/share/gpusched/devices")
target_link_libraries(gpusched_device_description
  PUBLIC gpusched_options
  PRIVATE ${CMAKE_DL_LIBS} nlohmann_json::nlohmann_json)

# The build folder looks like an installation.
set(gpusched_devices
  a100
  b200
  h100
  h200
  rtx-3090
  rtx-4090
  rtx-5090
  t4
  titan-xp
  v100
)
foreach(device ${gpusched_devices})
  configure_file(${PROJECT_SOURCE_DIR}/rt/device/descriptions/${device}.json
    ${PROJECT_BINARY_DIR}/share/gpusched/devices/${device}.json COPYONLY)
endforeach()
