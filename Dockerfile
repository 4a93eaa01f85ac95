# SPDX-License-Identifier: Apache-2.0
# npuc in a container: docker build -t npuc . && docker run --rm --user "$(id -u)" -v "$PWD:/work" npuc npuc examples/net.onnx -o net.npu
# The first stage builds for some 20 minutes on 2 cores and takes 6 GB; the image that is left has the wheel alone.
FROM debian:12 AS build
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates git make
COPY . /npuc
WORKDIR /npuc
RUN make wheel

FROM debian:12-slim
RUN apt-get update \
 && apt-get install --yes --no-install-recommends python3 python3-venv \
 && rm -rf /var/lib/apt/lists/* \
 && python3 -m venv /opt/npuc
COPY --from=build /npuc/build/wheel/npuc-*.whl /wheel/
RUN /opt/npuc/bin/pip install --no-cache-dir /wheel/npuc-*.whl && rm -r /wheel
ENV PATH=/opt/npuc/bin:$PATH
# Nobody in the container needs rights, and .npu files are code.
RUN useradd --create-home npuc
USER npuc
WORKDIR /work
CMD ["npuc", "--help"]
