# SPDX-License-Identifier: Apache-2.0
"""Headless Chromium, for tests of pages."""

from __future__ import annotations

import functools
import shutil

BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
SKIPPED = 77  # ctest's SKIP_RETURN_CODE


def is_installed() -> bool:
    return bool(BROWSER and DRIVER)


@functools.cache
def browser():
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1500,950"):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
