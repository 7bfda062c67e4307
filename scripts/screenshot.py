#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""screenshot.py PAGE SELECTOR PNG: a picture of an element of a page in Chromium, 1000 pixels wide.
Fonts and their rendering are those of the machine.
"""
import pathlib
import sys
import tempfile

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By


def main():
    page, selector, picture = sys.argv[1:]
    options = webdriver.ChromeOptions()
    with tempfile.TemporaryDirectory() as profile:
        for argument in ('headless=new', 'no-sandbox', 'disable-gpu', 'hide-scrollbars',
                         'window-size=1000,1800', f'user-data-dir={profile}'):
            options.add_argument(f'--{argument}')
        driver = webdriver.Chrome(options=options, service=Service('/usr/bin/chromedriver'))
        try:
            driver.get(pathlib.Path(page).resolve().as_uri())
            driver.find_element(By.CSS_SELECTOR, selector).screenshot(picture)
        finally:
            driver.quit()


if __name__ == '__main__':
    main()
